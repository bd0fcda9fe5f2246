import * as z from 'zod';
import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { SharedFolder } from '../../protocol/methods/sharing_methods.js';
import { NotedSnapshot } from '../../protocol/methods/snapshot_methods.js';
import { NodeId, Sha256, type TreeId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { PIECE_BYTES, readPiece } from '../shared_outputs.js';
import { dropTransfer } from './drop_transfer.js';
import { folderId } from './folder_id.js';
import { heldBytes, megabytesOf, type TellBytes } from './recorded_bytes.js';

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
  /** Sets that were refused lately and why: they are not fetched again now. */
  refused: Map<number, string>;
  /** Told of bytes that have come, and how many come. */
  tell: TellBytes;
}

export interface FetchedFiles {
  received: number;
  bytes: number;
  paths: number;
}

/** Takes what is new of the recorded files of a tree. A set that does not prove is passed over, and looked at again later. */
export async function fetchFiles(reach: InternalCaller, remote: Remote, toFetch: FilesToFetch): Promise<FetchedFiles> {
  const { tree, files, entries, refused } = toFetch;
  const done: FetchedFiles = { received: 0, bytes: 0, paths: 0 };
  let isWhole = true;
  for (let after = files.fetched; ; ) {
    const [row] = await remote.query<SetRow>(NEXT, [tree, after, entries]);
    if (row === undefined) return done;
    after = Number(row.n);
    const problem = refused.get(after) ?? (await takeRow(reach, remote, { ...toFetch, row, done }));
    if (problem !== null) refused.set(after, problem);
    isWhole &&= problem === null;
    if (!isWhole) continue;
    await callHub(reach, 'loom.share_files_set', { remote: remote.name, tree, files: { ...files, fetched: after } });
  }
}

type SetRow = Record<'n' | 'hub' | 'packs' | 'notes', string | null>;

/** Returns why a set is refused, null when it is taken. */
async function takeRow(
  reach: InternalCaller,
  remote: Remote,
  { row, done, ...toFetch }: FilesToFetch & { row: SetRow; done: FetchedFiles },
): Promise<string | null> {
  const [packs, notes] = [JSON.parse(row.packs ?? '[]'), JSON.parse(row.notes ?? '[]')];
  const { data: set } = FileSet.safeParse({ ...row, packs, notes });
  const named = { tree: toFetch.tree, n: row.n ?? '', hub: row.hub ?? '' };
  if (set === undefined) return refusal(remote, named, 'it is of no known form');
  try {
    const taken = await takeSet(reach, remote, { ...toFetch, set });
    done.received += taken.received;
    done.bytes += taken.bytes;
    done.paths = Math.max(done.paths, taken.paths);
    return null;
  } catch (error) {
    const isBad = error instanceof HubError && ['invalid_params', 'not_found', 'storage_failed'].includes(error.kind);
    if (isBad) return refusal(remote, named, error.message);
    throw error;
  }
}

async function takeSet(
  reach: InternalCaller,
  remote: Remote,
  { tree, files: { project }, hub, bytesMax, tell, set }: FilesToFetch & { set: FileSet },
): Promise<FetchedFiles> {
  const folder = folderId(project);
  const { notes } = set;
  for (const node of new Set(notes.map((note) => note.node))) await callHub(reach, 'loom.node_get', { tree, node });
  const roots = [...new Set(notes.map(({ root }) => root))];
  const here = new Set((await callHub(reach, 'loom.snapshot_roots', { folder })).roots);
  const { newest } = await callHub(reach, 'loom.snapshot_find', { tree, node: null, folder });
  const isHere = newest !== null && roots.every((root) => here.has(root));
  const stored = isHere ? null : await storePacks(reach, remote, { tree, project, set, roots, bytesMax, tell });
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
  tell: TellBytes;
}

async function storePacks(
  reach: InternalCaller,
  remote: Remote,
  { tree, project, set, roots, bytesMax, tell }: ToStore,
): Promise<{ bytes: number; paths: number; empty: Sha256 }> {
  const sizes = await remote.query<{ sha256: Sha256; pieces: string }>(SIZES, [tree, set.packs]);
  const pieces = new Map(sizes.map((row) => [row.sha256, Number(row.pieces)]));
  // Of many sets each may be small.
  const bytes = await heldBytes(remote, tree, set.n);
  if (bytes > bytesMax) throw tooLarge(remote, { bytes, bytesMax });
  const place = await callHub(reach, 'files.import_begin', { project });
  try {
    let received = 0;
    const all = [...pieces.values()].reduce((sum, count) => sum + count, 0) * PIECE_BYTES;
    for (const pack of new Set(set.packs)) {
      const before = received;
      const tellPack = (packBytes: number): void => tell(before + packBytes, all);
      received += await takePack(reach, remote, { ...place, pack, pieces: pieces.get(pack) ?? 0, tell: tellPack });
    }
    const { files, empty } = await callHub(reach, 'files.import_end', { ...place, roots, partial: true });
    return { bytes: received, paths: files, empty };
  } finally {
    await dropTransfer(reach, place);
  }
}

interface PackToTake {
  pack: Sha256;
  pieces: number;
  tell(bytes: number): void;
}

async function takePack(
  reach: InternalCaller,
  remote: Remote,
  { folder, transfer, pack, pieces, tell }: ResultOf<'files.import_begin'> & PackToTake,
): Promise<number> {
  let offset = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const bytes = await readPiece(remote, { sha256: pack, piece });
    if (bytes === null) throw new HubError('storage_failed', `the pack ${pack.slice(0, 12)} is not whole there`);
    const data = bytes.toString('base64');
    await callHub(reach, 'files.import_write', { folder, transfer, pack, offset, data });
    offset += bytes.length;
    tell(offset);
  }
  return offset;
}

function tooLarge({ name }: Remote, { bytes, bytesMax }: { bytes: number; bytesMax: number }): HubError {
  const { held, most } = megabytesOf(bytes, bytesMax);
  const enough = String(Math.ceil(bytes / 1_000_000));
  return new HubError('limit', `recorded files at ${name} have ${held}, of ${most} at most`, {
    hint: ['take more: ', cliCommand('config set', 'sharing.files_megabytes_max', enough)],
  });
}

function refusal({ name }: Remote, { tree, n, hub }: { tree: string; n: string; hub: string }, why: string): string {
  return `the recorded files ${n} of ${tree.slice(0, 8)} at ${name}, of the hub ${hub.slice(0, 8)}, are refused: ${why}`;
}
