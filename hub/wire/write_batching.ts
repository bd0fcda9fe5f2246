import type { Duplex } from 'node:stream';

/** To be called before each write: all writes of one turn of the event loop then leave in one system call. */
export function bundler(stream: Duplex): () => void {
  let isHeld = false;
  return () => {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.nextTick(() => {
      isHeld = false;
      stream.uncork();
    });
  };
}
