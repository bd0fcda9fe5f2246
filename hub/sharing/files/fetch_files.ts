import * as z from 'zod';
import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { SharedFolder } from '../../protocol/methods/sharing_methods.js';
import { NotedSnapshot } from '../../protocol/methods/snapshot_methods.js';
import { NodeId, Sha256, type TreeId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { readPiece } from '../shared_outputs.js';
import { dropTransfer } from './drop_transfer.js';
import { folderId } from './folder_id.js';
import { heldBytes } from './recorded_bytes.js';

// A set is taken when all that was in the tree before it is here.
const NEXT = `
  SELECT s.n, s.hub, array_to_json(s.packs)::text AS packs, (
    SELECT json_agg(json_build_object('node', f.node, 'root', f.root, 'moment', f.moment, 'at_ms', f.at_ms) ORDER BY f.at_ms, f.node)::text
    FROM (SELECT * FROM cognition.file_notes WHERE tree = s.tree AND n = s.n LIMIT 1001) AS f
  ) AS notes FROM cognition.file_sets s WHERE s.tree = $1 AND s.n > $2 AND s.after <= $3 ORDER BY s.n LIMIT 1`;
const SIZES = `
  SELECT sha256, max(pieces) AS pieces FROM cognition.tree_outputs WHERE tree = $1 AND sha256 = ANY($2) GROUP BY sha256`;

const FileSet = z.object({
  n: z.coerce.number().int().positive(),
  hub: z.uuid(),
  packs: z.array(Sha256).max(1_000),
  notes: z
    .array(NotedSnapshot.omit({ folder: true }))
    .min(1)
    .max(1_000),
});
type FileSet = z.infer<typeof FileSet>;

export interface FilesToFetch {
  tree: TreeId;
  files: SharedFolder;
  /** Entries of the tree that are here. */
  entries: number;
  /** This hub, as others know it. */
  hub: string;
  bytesMax: number;
}

export interface FetchedFiles {
  received: number;
  bytes: number;
  paths: number;
}

/** Takes what is new of the recorded files of a tree; what does not prove stops it, and is named. */
export async function fetchFiles(reach: InternalCaller, remote: Remote, toFetch: FilesToFetch): Promise<FetchedFiles> {
  const { tree, files, entries } = toFetch;
  const done: FetchedFiles = { received: 0, bytes: 0, paths: 0 };
  for (let after = files.fetched; ; ) {
    const [row] = await remote.query<Record<'n' | 'hub' | 'packs' | 'notes', string>>(NEXT, [tree, after, entries]);
    if (row === undefined) return done;
    const taken = await takeRow(reach, remote, { ...toFetch, row });
    after = Number(row.n);
    await callHub(reach, 'loom.share_files_set', { remote: remote.name, tree, files: { ...files, fetched: after } });
    done.received += taken.received;
    done.bytes += taken.bytes;
    done.paths = Math.max(done.paths, taken.paths);
  }
}

async function takeRow(
  reach: InternalCaller,
  remote: Remote,
  { row, ...toFetch }: FilesToFetch & { row: Record<'n' | 'hub' | 'packs' | 'notes', string | null> },
): Promise<FetchedFiles> {
  const parsed = FileSet.safeParse({
    ...row,
    packs: JSON.parse(row.packs ?? '[]'),
    notes: JSON.parse(row.notes ?? '[]'),
  });
  const named = { tree: toFetch.tree, n: row.n ?? '', hub: row.hub ?? '' };
  if (!parsed.success) throw refused(remote, named, 'it is of no known form');
  try {
    return await takeSet(reach, remote, { ...toFetch, set: parsed.data });
  } catch (error) {
    const isBad = error instanceof HubError && ['invalid_params', 'not_found', 'storage_failed'].includes(error.kind);
    throw isBad ? refused(remote, named, error.message) : error;
  }
}

async function takeSet(
  reach: InternalCaller,
  remote: Remote,
  { tree, files: { project }, hub, bytesMax, set }: FilesToFetch & { set: FileSet },
): Promise<FetchedFiles> {
  const folder = folderId(project);
  const { notes } = set;
  for (const node of new Set(notes.map((note) => note.node))) await callHub(reach, 'loom.node_get', { tree, node });
  const roots = [...new Set(notes.map(({ root }) => root))];
  const here = new Set((await callHub(reach, 'loom.snapshot_roots', { folder })).roots);
  const { newest } = await callHub(reach, 'loom.snapshot_find', { tree, node: null, folder });
  const isHere = newest !== null && roots.every((root) => here.has(root));
  const stored = isHere ? null : await storePacks(reach, remote, { tree, project, set, roots, bytesMax });
  const empty = newest === null ? (stored?.empty ?? null) : null;
  const { added } = await callHub(reach, 'loom.snapshot_import', {
    tree,
    snapshots: notes.map((note) => ({ ...note, folder })),
    // Of a folder in which it has not been the conversation knows nothing: what is there is the person's.
    stands: empty === null ? null : { node: NodeId.parse(tree), folder, root: empty },
    hub: set.hub === hub ? null : set.hub,
  });
  return { received: added, bytes: stored?.bytes ?? 0, paths: stored?.paths ?? 0 };
}

interface ToStore {
  tree: TreeId;
  project: string;
  set: FileSet;
  roots: Sha256[];
  bytesMax: number;
}

async function storePacks(
  reach: InternalCaller,
  remote: Remote,
  { tree, project, set, roots, bytesMax }: ToStore,
): Promise<{ bytes: number; paths: number; empty: Sha256 }> {
  const sizes = await remote.query<{ sha256: Sha256; pieces: string }>(SIZES, [tree, set.packs]);
  const pieces = new Map(sizes.map((row) => [row.sha256, Number(row.pieces)]));
  // Of many sets each may be small.
  const bytes = await heldBytes(remote, tree, set.n);
  if (bytes > bytesMax) throw tooLarge(remote, { bytes, bytesMax });
  const place = await callHub(reach, 'files.import_begin', { project });
  try {
    let received = 0;
    for (const pack of new Set(set.packs))
      received += await takePack(reach, remote, { ...place, pack, pieces: pieces.get(pack) ?? 0 });
    const { files, empty } = await callHub(reach, 'files.import_end', { ...place, roots, partial: true });
    return { bytes: received, paths: files, empty };
  } finally {
    await dropTransfer(reach, place);
  }
}

async function takePack(
  reach: InternalCaller,
  remote: Remote,
  { folder, transfer, pack, pieces }: ResultOf<'files.import_begin'> & { pack: Sha256; pieces: number },
): Promise<number> {
  let offset = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const bytes = await readPiece(remote, { sha256: pack, piece });
    if (bytes === null) throw new HubError('storage_failed', `the pack ${pack.slice(0, 12)} is not whole there`);
    const data = bytes.toString('base64');
    await callHub(reach, 'files.import_write', { folder, transfer, pack, offset, data });
    offset += bytes.length;
  }
  return offset;
}

function tooLarge({ name }: Remote, { bytes, bytesMax }: { bytes: number; bytesMax: number }): HubError {
  const megabytes = (count: number): number => Math.ceil(count / 1_000_000);
  return new HubError(
    'limit',
    `recorded files at ${name} have ${megabytes(bytes)} MB, of ${megabytes(bytesMax)} MB at most`,
    { hint: ['take more: ', cliCommand('config set', 'sharing.files_megabytes_max', String(megabytes(bytes)))] },
  );
}

function refused({ name }: Remote, { tree, n, hub }: { tree: string; n: string; hub: string }, why: string): HubError {
  return new HubError(
    'conflict',
    `the recorded files ${n} of ${tree.slice(0, 8)} at ${name}, of the hub ${hub.slice(0, 8)}, are refused: ${why}`,
    {
      hint: 'the conversation itself is not affected; who owns the remote can delete the rows of file_sets and file_notes from that number on',
    },
  );
}
