import type { Writable } from 'node:stream';

/** Where frames are written to. */
export interface TerminalOutput {
  write(bytes: string): void;
  /** Whether what was written is still on its way, so that no more should be. */
  isBehind(): boolean;
  isGone(): boolean;
}

/** Writes to a terminal; `onReady` is told when it has caught up, `onGone` once when it is no longer there. */
export function createOutput(stream: Writable, told: { onReady: () => void; onGone: () => void }): TerminalOutput {
  let isBehind = false;
  let isGone = false;
  stream.on('drain', () => {
    isBehind = false;
    told.onReady();
  });
  stream.on('error', () => {
    if (isGone) return;
    isGone = true;
    told.onGone();
  });
  return {
    write: (bytes) => {
      if (!isGone && bytes !== '' && !stream.write(bytes)) isBehind = true;
    },
    isBehind: () => isBehind,
    isGone: () => isGone,
  };
}
