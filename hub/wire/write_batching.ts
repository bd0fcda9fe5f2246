import type { Duplex } from 'node:stream';

/** The result is called before each write: all writes of one turn of the event loop then go out in one system call. */
export function createWriteBatcher(stream: Duplex): () => void {
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    stream.cork();
    process.nextTick(() => {
      isCorked = false;
      stream.uncork();
    });
  };
}
