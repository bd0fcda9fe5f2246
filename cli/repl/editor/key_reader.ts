import { createKeyDecoder, type Key } from './keys.js';

/** What `readline` tells of a key. Of its reading only this is used: it takes mouse reports and answers for typed text. */
export interface Keypress {
  sequence?: string;
  name?: string;
}

/** Puts together what `readline` cuts apart. */
export interface KeyReader {
  take(keypress: Keypress): void;
  /** Forgets what was begun, and gives no key any more. */
  stop(): void;
}

// How long the rest of a sequence may take to come. Esc alone is told after this time.
const ESCAPE_WAIT_MS = 50;

/** Gives the keys of each piece that a terminal sends together. A timer runs only while a sequence is unended. */
export function createKeyReader(listener: (key: Key) => void): KeyReader {
  const decoder = createKeyDecoder();
  let text = '';
  let isOver = false;
  let isScheduled = false;
  let timer: NodeJS.Timeout | undefined;

  const tell = (keys: Key[]): void => {
    for (const key of keys) listener(key);
  };
  const deliver = (): void => {
    isScheduled = false;
    const piece = text;
    text = '';
    const wasOver = isOver;
    isOver = false;
    tell(decoder.take(piece));
    if (wasOver) tell(decoder.flush());
    if (decoder.isWaiting()) timer = setTimeout(() => tell(decoder.flush()), ESCAPE_WAIT_MS);
  };
  return {
    take({ sequence = '', name }) {
      clearTimeout(timer);
      text += sequence;
      // readline tells Esc when it has waited itself.
      isOver = name === 'escape';
      if (isScheduled) return;
      isScheduled = true;
      // The keys of one piece are told in one go: after it, all of them are there.
      queueMicrotask(deliver);
    },
    stop() {
      clearTimeout(timer);
      text = '';
      decoder.flush();
    },
  };
}
