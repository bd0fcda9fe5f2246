import { createHash, randomUUID } from 'node:crypto';
import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { Sha256, TreeId } from '../protocol/node.js';
import type { Remote } from './remote_connection.js';

/** What is stored lies at the remote in pieces of this size. */
export const PIECE_BYTES = 256 * 1024;
export const PUT_PIECE = 'SELECT cognition.put_piece($1, $2, $3)';
export const KEEP_OUTPUT = 'SELECT cognition.keep_output($1, $2, $3)';

/** Sends the outputs of a tree that the remote lacks, each whole. */
export async function sendOutputs(
  reach: InternalCaller,
  remote: Remote,
  { tree, outputs }: { tree: TreeId; outputs: readonly Sha256[] },
): Promise<void> {
  if (outputs.length === 0) return;
  const lacking = await remote.query<{ sha256: Sha256 }>(
    `SELECT sha256 FROM unnest($2::text[]) AS wanted (sha256)
     WHERE NOT EXISTS (SELECT FROM cognition.tree_outputs o WHERE o.tree = $1 AND o.sha256 = wanted.sha256)`,
    [tree, [...outputs]],
  );
  for (const { sha256 } of lacking) await sendOutput(reach, remote, { tree, sha256 });
}

async function sendOutput(
  reach: InternalCaller,
  remote: Remote,
  { tree, sha256 }: { tree: TreeId; sha256: Sha256 },
): Promise<void> {
  await remote.inTransaction(async () => {
    let piece = 0;
    for (let offset = 0, size = 1; offset < size; offset += PIECE_BYTES) {
      const part = await callHub(reach, 'loom.blob_read', { sha256, offset, limit: PIECE_BYTES }).catch(ifMissing);
      // What is not here any more cannot be sent: whoever reads it is told that it is missing.
      if (part === null) return;
      size = part.size_bytes;
      await remote.query(PUT_PIECE, [sha256, piece, Buffer.from(part.data, 'base64')]);
      piece += 1;
    }
    await remote.query(KEEP_OUTPUT, [tree, sha256, piece]);
  });
}

/** Fetches those outputs that are not here; what the remote does not have stays missing. */
export async function fetchOutputs(
  reach: InternalCaller,
  remote: Remote,
  { tree, outputs }: { tree: TreeId; outputs: Iterable<Sha256> },
): Promise<void> {
  for (const sha256 of new Set(outputs)) {
    const here = await callHub(reach, 'loom.blob_read', { sha256, offset: 0, limit: 1 }).catch(ifMissing);
    if (here === null) await fetchOutput(reach, remote, { tree, sha256 });
  }
}

async function fetchOutput(
  reach: InternalCaller,
  remote: Remote,
  { tree, sha256 }: { tree: TreeId; sha256: Sha256 },
): Promise<void> {
  const [row] = await remote.query<{ pieces: string | null }>(
    'SELECT pieces FROM cognition.tree_outputs WHERE tree = $1 AND sha256 = $2',
    [tree, sha256],
  );
  const pieces = Number(row?.pieces ?? 0);
  const upload = randomUUID();
  const hash = createHash('sha256');
  let offset = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const bytes = await readPiece(remote, { sha256, piece });
    if (bytes === null) throw damaged(remote, sha256);
    hash.update(bytes);
    const done = piece === pieces - 1;
    // It is stored under its own hash, so that only the right one is found.
    if (done && hash.digest('hex') !== sha256) throw damaged(remote, sha256);
    await callHub(reach, 'loom.blob_write', { upload, offset, data: bytes.toString('base64'), done });
    offset += bytes.length;
  }
}

/** Proves every stored output at a remote; what is wrong is told. Returns their number. */
export async function checkOutputs(remote: Remote, tell: (problem: string) => void): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await remote.query<{ sha256: Sha256; least: string; most: string }>(
      `SELECT sha256, min(pieces) AS least, max(pieces) AS most FROM cognition.tree_outputs
       WHERE sha256 > $1 GROUP BY sha256 ORDER BY sha256 LIMIT 500`,
      [after],
    );
    for (const { sha256, least, most } of rows) {
      const name = `the stored output ${sha256.slice(0, 12)}`;
      if (least !== most || !(await isSound(remote, sha256, Number(most)))) tell(`${name} is damaged`);
      count += 1;
    }
    const last = rows.at(-1);
    if (last === undefined) return count;
    after = last.sha256;
  }
}

async function isSound(remote: Remote, sha256: Sha256, pieces: number): Promise<boolean> {
  const hash = createHash('sha256');
  for (let piece = 0; piece < pieces; piece++) {
    const bytes = await readPiece(remote, { sha256, piece });
    if (bytes === null) return false;
    hash.update(bytes);
  }
  return hash.digest('hex') === sha256;
}

/** Null for one that is not there, or larger than any is. */
export async function readPiece(
  remote: Remote,
  { sha256, piece }: { sha256: Sha256; piece: number },
): Promise<Buffer | null> {
  const [part] = await remote.query<{ data: string }>(
    "SELECT encode(bytes, 'base64') AS data FROM cognition.outputs WHERE sha256 = $1 AND piece = $2 AND length(bytes) <= $3",
    [sha256, piece, PIECE_BYTES],
  );
  return part === undefined ? null : Buffer.from(part.data, 'base64');
}

function damaged({ name }: Remote, sha256: string): HubError {
  return new HubError('storage_failed', `the stored output ${sha256.slice(0, 12)} is damaged at ${name}`, {
    hint: 'who has it whole can share the conversation anew',
  });
}

function ifMissing(error: unknown): null {
  if (error instanceof HubError && error.kind === 'not_found') return null;
  throw error;
}
