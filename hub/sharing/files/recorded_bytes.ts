import type { TreeId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { PIECE_BYTES } from '../shared_outputs.js';

const HELD = `
  SELECT coalesce(sum(o.pieces), 0) AS pieces FROM cognition.tree_outputs o
  WHERE o.tree = $1 AND o.sha256 IN (SELECT unnest(packs) FROM cognition.file_sets WHERE tree = $1 AND n <= coalesce($2, n))`;

/** What the recorded files of a tree have at a remote: in all sets, or in those up to a number. */
export async function heldBytes(remote: Remote, tree: TreeId, upTo: number | null): Promise<number> {
  const [row] = await remote.query<{ pieces: string }>(HELD, [tree, upTo]);
  return Number(row?.pieces ?? 0) * PIECE_BYTES;
}

/** Takes how many bytes have gone or come, and how many will. */
export type TellBytes = (bytes: number, of: number) => void;

/** Words for what is there and may be: the first rounded up, so that it is never told as what it may have at most. */
export function megabytesOf(bytes: number, bytesMax: number): { held: string; most: string } {
  return { held: `${Math.ceil(bytes / 10_000) / 100} MB`, most: `${bytesMax / 1_000_000} MB` };
}
