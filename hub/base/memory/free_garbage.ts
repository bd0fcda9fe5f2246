import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection takes some milliseconds: about as long as handling so much. */
const DUE_BYTES = 16 * 1024 * 1024;

let collect: (() => unknown) | null = null;
let bytesSince = 0;

/**
 * Notes that so many bytes are used no more, and frees them when they have become many. Large messages are few objects: by itself V8
 * lets several of them pile up before it looks for garbage.
 */
export function noteGarbage(bytes: number): void {
  bytesSince += bytes;
  if (bytesSince < DUE_BYTES) return;
  bytesSince = 0;
  collect ??= findCollect();
  collect();
}

function findCollect(): () => unknown {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return typeof gc === 'function' ? () => gc() : () => undefined;
}
