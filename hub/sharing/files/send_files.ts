import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { SharedFolder } from '../../protocol/methods/sharing_methods.js';
import type { Sha256, TreeId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { KEEP_OUTPUT, PIECE_BYTES, PUT_PIECE } from '../shared_outputs.js';
import { dropTransfer } from './drop_transfer.js';
import { folderId } from './folder_id.js';
import { heldBytes, megabytesOf, type TellBytes } from './recorded_bytes.js';

/** Snapshots of others whose files are not sent again: with the newest of them nearly all is known. */
const KNOWN_MAX = 500;
const KNOWN = `SELECT root FROM cognition.file_notes WHERE tree = $1 GROUP BY root ORDER BY max(n) DESC LIMIT ${KNOWN_MAX}`;
const LACKING = `
  SELECT w.place FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS w (node, root, moment, place)
  WHERE NOT EXISTS (SELECT FROM cognition.file_notes f
    WHERE f.tree = $1 AND f.node = w.node AND f.root = w.root AND f.moment = w.moment)`;
const PUBLISH = 'SELECT cognition.publish_files($1, $2, $3, $4, $5, $6, $7) AS n';

type Note = ResultOf<'loom.share_files_read'>['notes'][number];
type Begun = NonNullable<ResultOf<'files.export_begin'>['begun']>;

export interface FilesToSend {
  tree: TreeId;
  files: SharedFolder;
  hub: string;
  /** What the packs of one tree may have at a remote. */
  bytesMax: number;
  /** Told of bytes that have gone, and how many go. */
  tell: TellBytes;
}

export interface SentFiles {
  sent: number;
  bytes: number;
  paths: number;
}

/** Sends what a remote lacks of the recorded files of a tree, the oldest first; twice is once. */
export async function sendFiles(reach: InternalCaller, remote: Remote, toSend: FilesToSend): Promise<SentFiles> {
  const { tree, files } = toSend;
  const done: SentFiles = { sent: 0, bytes: 0, paths: 0 };
  let after = files.sent;
  for (;;) {
    const folder = folderId(files.project);
    const page = await callHub(reach, 'loom.share_files_read', { remote: remote.name, tree, folder, after });
    const lacking = await lackingOf(remote, tree, page.notes);
    for (const notes of await setsOf(remote, tree, lacking)) {
      const set = await sendSet(reach, remote, { ...toSend, notes });
      done.sent += set.sent;
      done.bytes += set.bytes;
      done.paths = Math.max(done.paths, set.paths);
    }
    if (page.to > after) {
      after = page.to;
      await callHub(reach, 'loom.share_files_set', { remote: remote.name, tree, files: { ...files, sent: after } });
    }
    if (!page.more) return done;
  }
}

/** The first snapshot is a set of its own: whoever is cut off in all the others need not send it again. */
async function setsOf(remote: Remote, tree: TreeId, notes: readonly Note[]): Promise<Note[][]> {
  const [first, ...others] = notes;
  if (first === undefined) return [];
  const [known] = await remote.query('SELECT FROM cognition.file_sets WHERE tree = $1 LIMIT 1', [tree]);
  if (known !== undefined) return [[first, ...others]];
  return others.length === 0 ? [[first]] : [[first], others];
}

async function lackingOf(remote: Remote, tree: TreeId, notes: readonly Note[]): Promise<Note[]> {
  if (notes.length === 0) return [];
  const columns = [notes.map(({ node }) => node), notes.map(({ root }) => root), notes.map(({ moment }) => moment)];
  const rows = await remote.query<{ place: string }>(LACKING, [tree, ...columns]);
  const places = new Set(rows.map(({ place }) => Number(place)));
  return notes.filter((_, index) => places.has(index + 1));
}

async function sendSet(
  reach: InternalCaller,
  remote: Remote,
  toSend: FilesToSend & { notes: readonly Note[] },
): Promise<SentFiles> {
  const { tree, files, notes } = toSend;
  const rows = await remote.query<{ root: Sha256 }>(KNOWN, [tree]);
  const wanted = { roots: [...new Set(notes.map(({ root }) => root))], known: rows.map(({ root }) => root) };
  const { begun } = await callHub(reach, 'files.export_begin', { tree, project: files.project, wanted });
  if (begun === null) return { sent: 0, bytes: 0, paths: 0 };
  try {
    return await sendBegun(reach, remote, { ...toSend, begun });
  } finally {
    await dropTransfer(reach, begun);
  }
}

async function sendBegun(
  reach: InternalCaller,
  remote: Remote,
  { tree, hub, bytesMax, notes: all, begun, tell }: FilesToSend & { notes: readonly Note[]; begun: Begun },
): Promise<SentFiles> {
  const lost = new Set(begun.lost);
  const notes = all.filter(({ root }) => !lost.has(root));
  if (notes.length === 0) return { sent: 0, bytes: 0, paths: 0 };
  const bytes = begun.packs.reduce((sum, pack) => sum + pack.size_bytes, 0);
  await refuseLarge(remote, tree, { bytes, bytesMax });
  let gone = 0;
  for (const pack of begun.packs) {
    const before = gone;
    await sendPack(reach, remote, { tree, begun, ...pack, tell: (packBytes) => tell(before + packBytes, bytes) });
    gone += pack.size_bytes;
  }
  const [row] = await remote.query<{ n: string | null }>(PUBLISH, [
    ...[tree, hub, begun.packs.map(({ sha256 }) => sha256)],
    ...[notes.map(({ node }) => node), notes.map(({ root }) => root)],
    ...[notes.map(({ moment }) => moment), notes.map(({ at_ms }) => at_ms)],
  ]);
  if (row?.n == null) throw new HubError('conflict', `it is not at ${remote.name}, or was deleted there`);
  return { sent: notes.length, bytes, paths: begun.files };
}

async function refuseLarge(
  remote: Remote,
  tree: TreeId,
  { bytes, bytesMax }: { bytes: number; bytesMax: number },
): Promise<void> {
  const all = (await heldBytes(remote, tree, null)) + bytes;
  if (all <= bytesMax) return;
  const { held, most } = megabytesOf(all, bytesMax);
  const enough = String(Math.ceil(all / 1_000_000));
  throw new HubError('limit', `its recorded files would have ${held} at ${remote.name}, of ${most} at most`, {
    hint: ['let them have more: ', cliCommand('config set', 'sharing.files_megabytes_max', enough)],
  });
}

interface PackToSend {
  tree: TreeId;
  begun: Begun;
  sha256: Sha256;
  size_bytes: number;
  tell(bytes: number): void;
}

/** Each pack is there as a whole, and stays when the next one is cut off. */
async function sendPack(
  reach: InternalCaller,
  remote: Remote,
  { tree, begun: { folder, transfer }, sha256, size_bytes, tell }: PackToSend,
): Promise<void> {
  const there = 'SELECT FROM cognition.tree_outputs WHERE tree = $1 AND sha256 = $2';
  if ((await remote.query(there, [tree, sha256])).length > 0) return;
  await remote.inTransaction(async () => {
    let piece = 0;
    for (let offset = 0; offset < size_bytes; ) {
      const { data } = await callHub(reach, 'files.export_read', { folder, transfer, pack: sha256, offset });
      const bytes = Buffer.from(data, 'base64');
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await remote.query(PUT_PIECE, [sha256, piece, bytes.subarray(at, at + PIECE_BYTES)]);
        piece += 1;
      }
      if (bytes.length === 0) throw new HubError('storage_failed', 'a pack of recorded files is not there any more');
      offset += bytes.length;
      tell(offset);
    }
    await remote.query(KEEP_OUTPUT, [tree, sha256, piece]);
  });
}
