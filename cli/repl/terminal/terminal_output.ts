import type { Writable } from 'node:stream';

/** Where frames are written to. */
export interface TerminalOutput {
  write(bytes: string): void;
  /** Whether earlier bytes are still waiting to be written. */
  isBehind(): boolean;
  isGone(): boolean;
}

/** Writes to a terminal; `onReady` is called when it has caught up, `onGone` once when it is gone. */
export function createOutput(stream: Writable, on: { onReady: () => void; onGone: () => void }): TerminalOutput {
  let isBehind = false;
  let isGone = false;
  stream.on('drain', () => {
    isBehind = false;
    on.onReady();
  });
  stream.on('error', () => {
    if (isGone) return;
    isGone = true;
    on.onGone();
  });
  return {
    write: (bytes) => {
      if (!isGone && bytes !== '' && !stream.write(bytes)) isBehind = true;
    },
    isBehind: () => isBehind,
    isGone: () => isGone,
  };
}
