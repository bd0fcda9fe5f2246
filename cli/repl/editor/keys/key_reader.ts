import type { Key } from './key.js';
import { createKeyDecoder } from './key_decoder.js';

/** Decodes keyboard input into keys. */
export interface KeyReader {
  take(piece: string): void;
  /** Drops a partial sequence and emits no more keys. */
  stop(): void;
}

export interface KeyListener {
  /** All keys of one chunk of input. */
  keys(keys: readonly Key[]): void;
  /** A long paste is still coming in, or has just ended. */
  pasting(isPasting: boolean): void;
}

// The time limit for the rest of a sequence; after it, Esc alone is a key.
const ESCAPE_WAIT_MS = 50;
// After this time a notice says that a paste is coming in.
const PASTE_WAIT_MS = 1_000;

/** A timer runs only within a sequence or a paste. */
export function createKeyReader({ keys: tellKeys, pasting }: KeyListener): KeyReader {
  const decoder = createKeyDecoder();
  let escapeTimer: NodeJS.Timeout | undefined;
  let pasteTimer: NodeJS.Timeout | undefined;
  let isPastingTold = false;

  const tell = (keys: readonly Key[]): void => {
    if (keys.length > 0) tellKeys(keys);
  };
  const tellPasting = (isPasting: boolean): void => {
    isPastingTold = isPasting;
    pasting(isPasting);
  };
  const watchPaste = (): void => {
    if (decoder.isPasting()) {
      pasteTimer ??= setTimeout(() => tellPasting(true), PASTE_WAIT_MS);
      return;
    }
    clearTimeout(pasteTimer);
    pasteTimer = undefined;
    if (isPastingTold) tellPasting(false);
  };
  return {
    take(piece) {
      clearTimeout(escapeTimer);
      const keys = decoder.take(piece);
      watchPaste();
      tell(keys);
      if (decoder.isWaiting()) escapeTimer = setTimeout(() => tell(decoder.flush()), ESCAPE_WAIT_MS);
    },
    stop() {
      clearTimeout(escapeTimer);
      clearTimeout(pasteTimer);
      decoder.flush();
    },
  };
}
