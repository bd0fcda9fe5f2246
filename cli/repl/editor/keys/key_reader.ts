import type { Key } from './key.js';
import { createKeyDecoder } from './key_decoder.js';

/** Turns what the keyboard sends into keys. */
export interface KeyReader {
  take(piece: string): void;
  /** Forgets what was begun, and gives no key any more. */
  stop(): void;
}

export interface KeyListener {
  /** The keys of one piece that the terminal sent, all of them. */
  keys(keys: readonly Key[]): void;
  /** A paste has been coming in for a while, and its end has not; or now it has. */
  pasting(isPasting: boolean): void;
}

// How long the rest of a sequence may take to come. Esc alone is told after this time.
const ESCAPE_WAIT_MS = 50;
// A person who sees nothing for longer wonders where their keys go.
const PASTE_WAIT_MS = 1_000;

/** A timer runs only while a sequence or a paste is unended. */
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
