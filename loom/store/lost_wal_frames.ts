import { closeSync, openSync, readSync } from 'node:fs';
import { errnoOf } from '../../hub/base/errno.js';
import type { Store } from './store.js';

/** The parts of a WAL's header and of the index beside it: https://sqlite.org/walformat.html */
const INDEX_HEADER_BYTES = 48;
const WAL_HEADER_BYTES = 32;
const WAL_MAGIC = 0x377f0682;

/**
 * The frames that a hub which was killed had committed to the WAL, as the index beside it says; 0 when it says nothing. To
 * be asked before the database is opened: opening drops, without a word, whatever does not fit any more.
 */
export function committedFrames(database: string): number {
  const index = firstBytes(`${database}-shm`, 2 * INDEX_HEADER_BYTES);
  const header = index.subarray(0, INDEX_HEADER_BYTES);
  if (index.length < 2 * INDEX_HEADER_BYTES || !header.equals(index.subarray(INDEX_HEADER_BYTES))) return 0;
  const wal = firstBytes(`${database}-wal`, WAL_HEADER_BYTES);
  // After a power cut the index may be that of an earlier WAL: the salts in a whole header tell them apart.
  if (isWholeHeader(wal) && !wal.subarray(16, 24).equals(header.subarray(32, 40))) return 0;
  return header.readUInt32LE(16);
}

/** Notes it in the database, where `fsck` finds it, when fewer frames are there than were committed. */
export function noteLostFrames(store: Store, { committed, found }: { committed: number; found: number }): void {
  if (found >= committed) return;
  const lost = `${committed - found} of the ${committed} pages that were stored last`;
  store.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('lost', ?)", lost);
}

/** The frames that are in the WAL of an open database. */
export function foundFrames(store: Store): number {
  return store.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)')?.log ?? 0;
}

/** The beginning of a file; empty when there is no such file. */
function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  try {
    const file = openSync(path, 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Whether the checksum of a WAL's header fits it. */
function isWholeHeader(wal: Buffer): boolean {
  if (wal.length < WAL_HEADER_BYTES || wal.readUInt32BE(0) >>> 1 !== WAL_MAGIC >>> 1) return false;
  const word = (at: number): number => (wal.readUInt32BE(0) % 2 === 1 ? wal.readUInt32BE(at) : wal.readUInt32LE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return first === wal.readUInt32BE(24) && second === wal.readUInt32BE(28);
}
