import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection takes some milliseconds: about as long as handling so much. */
const DUE_BYTES = 16 * 1024 * 1024;

/** Collecting what lived but for a moment takes about one. */
const DUE_YOUNG_BYTES = 4 * 1024 * 1024;

let collect: ((kind: GarbageKind) => unknown) | null = null;
const bytesSince = { major: 0, minor: 0 };

/**
 * Notes that so many bytes are used no more, and frees them when they have become many. Large messages are few objects: by itself V8
 * lets several of them pile up before it looks for garbage.
 */
export function noteGarbage(bytes: number): void {
  note('major', bytes, DUE_BYTES);
}

/** As above, of buffers that lived but for a moment. */
export function noteYoungGarbage(bytes: number): void {
  note('minor', bytes, DUE_YOUNG_BYTES);
}

/** What is in use grows to so much before it counts; then by a quarter. */
const HEAP_BYTES_LEAST = 32 * 1024 * 1024;
const GROWTH = 1.25;

let heapBytes = HEAP_BYTES_LEAST;

/** Frees what is used no more when the heap has grown by a quarter since: by itself V8 lets a large one double. For moments when nobody waits. */
export function freeHeapGrowth(): void {
  if (getHeapStatistics().used_heap_size < GROWTH * heapBytes) return;
  collectNow('major');
  heapBytes = Math.max(HEAP_BYTES_LEAST, getHeapStatistics().used_heap_size);
}

type GarbageKind = keyof typeof bytesSince;

function note(kind: GarbageKind, bytes: number, dueBytes: number): void {
  bytesSince[kind] += bytes;
  if (bytesSince[kind] < dueBytes) return;
  bytesSince[kind] = 0;
  collectNow(kind);
}

function collectNow(kind: GarbageKind): void {
  collect ??= findCollect();
  collect(kind);
}

function findCollect(): (kind: GarbageKind) => unknown {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return typeof gc === 'function' ? (kind) => (kind === 'major' ? gc() : gc({ type: 'minor' })) : () => undefined;
}
