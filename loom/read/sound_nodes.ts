import { damagedNodeJson } from '../store/damaged_row.js';
import { hashMatches } from '../store/node_hash.js';
import { type NodeRow, nodeJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { nodeRows } from './node_rows.js';

/** Nodes beyond this number are checked each time that they are read: the memory for the others is 8 MiB. */
const SEQ_MAX = 64 * 1024 * 1024;
const FIRST_BYTES = 8 * 1024;

/** Which nodes are what their hash says. Each is checked when it is read first: rows never change, and numbers are used once. */
export interface SoundNodes {
  isSound(row: NodeRow): boolean;
  /** The JSON of a node; of a damaged one only where it stands. */
  json(row: NodeRow): string;
  /** Those of these nodes that are damaged. */
  damagedAmong(store: Store, seqs: readonly number[]): Set<number>;
}

export function createSoundNodes(): SoundNodes {
  // One bit for each number.
  let bits = new Uint8Array(FIRST_BYTES);

  const isKnown = (seq: number): boolean => ((bits[seq >> 3] ?? 0) & (1 << (seq & 7))) !== 0;

  function remember(seq: number): void {
    if (seq >= SEQ_MAX) return;
    const at = seq >> 3;
    if (at >= bits.length) {
      const more = new Uint8Array(Math.max(bits.length * 2, at + 1));
      more.set(bits);
      bits = more;
    }
    bits[at] = (bits[at] ?? 0) | (1 << (seq & 7));
  }

  function isSound(row: NodeRow): boolean {
    if (isKnown(row.seq)) return true;
    const isMatch = hashMatches(row);
    if (isMatch) remember(row.seq);
    return isMatch;
  }

  return {
    isSound,
    json: (row) => (isSound(row) ? nodeJson(row) : damagedNodeJson(row)),
    damagedAmong(store, seqs) {
      const rows = nodeRows(
        store,
        seqs.filter((seq) => !isKnown(seq)),
      );
      return new Set(rows.filter((row) => !isSound(row)).map((row) => row.seq));
    },
  };
}
