import { detach } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import type { CallContext, HubCalls, HubResolve, Log } from '../../base/plugin.js';
import type { SyncedFiles } from '../../protocol/methods/sharing_methods.js';
import type { TreeId } from '../../protocol/node.js';
import { announce } from '../announce.js';
import { createQueue } from '../call_queue.js';
import { greet } from '../greet.js';
import { type Remote, requireAddress, withRemote } from '../remote_connection.js';
import { requirePrepared } from '../remote_schema.js';
import { PUBLISH_FILES_FUNCTION } from '../schema/files_schema.js';
import { shareOf } from '../sync_remote.js';
import { fetchFiles } from './fetch_files.js';
import { createLiveFiles, STOPPED_REST_MS } from './live_files.js';
import type { TellBytes } from './recorded_bytes.js';
import { sendFiles } from './send_files.js';

interface LaneParts {
  hub: HubCalls & HubResolve;
  version: string;
  log: Log;
  addressOf(name: string): string | null;
  bytesMax(): number;
  /** Tells that the files of a tree cannot be gone on with. */
  tellStopped(remote: string, tree: TreeId, problem: string): void;
  /** Tells how many bytes of its files have gone or come, of how many. */
  tellFiles(at: { remote: string; tree: TreeId }, bytes: number, of: number): void;
}

interface Ways {
  sends: boolean;
  fetches: boolean;
}

/** Which trees of a remote, and which way. */
interface Wanted extends Ways {
  trees: readonly TreeId[];
}

/** Takes recorded files along with shared trees, beside what is said in them: each time over a connection of its own. */
export interface FilesLane {
  /** Notes for a tree and what it owns that recorded files of a folder go along, and takes them over. */
  share(remote: string, at: { tree: TreeId; project: string } & Ways, context: CallContext): Promise<SyncedFiles[]>;
  /** Takes over those of these trees whose files go along. */
  sync(remote: string, wanted: Wanted, context: CallContext): Promise<SyncedFiles[]>;
  /** Something of a tree was sent or fetched: its files are looked at soon. */
  note(remote: string, tree: TreeId): void;
  /** A remote can be reached (again). */
  noteReached(remote: string): void;
  end(): void;
}

export function createFilesLane(parts: LaneParts): FilesLane {
  const queue = createQueue();
  const ending = new AbortController();
  const own = ownContext(ending.signal);
  const refusedOf = createRefused();

  function sync(name: string, wanted: Wanted, context: CallContext): Promise<SyncedFiles[]> {
    const caller = { hub: parts.hub, context };
    return queue(name, async () => {
      const trees = await treesWithFiles(caller, name, wanted.trees);
      if (trees.length === 0) return [];
      const at = { name, address: requireAddress(parts, name), signal: context.signal };
      return withRemote(at, (remote) =>
        syncAll(parts, caller, {
          remote,
          ...wanted,
          trees,
          refusedOf: (tree) => refusedOf(name, tree, context !== own),
        }),
      );
    });
  }

  const reach = { hub: parts.hub, context: own };
  const live = createLiveFiles({
    ...{ log: parts.log, tellStopped: parts.tellStopped },
    isFiled: async (name, tree) => (await treesWithFiles(reach, name, [tree])).length > 0,
    async isBusy(tree) {
      const { turns } = await callHub(reach, 'agent.status', { tree });
      return turns.some(({ activity }) => activity !== 'asking');
    },
    async sync(name, tree) {
      const [done] = await sync(name, { trees: [tree], sends: true, fetches: true }, own);
      return {
        problem: done?.problem ?? null,
        isStopped: done !== undefined && done.problem !== null && done.refused === 0,
      };
    },
  });

  return {
    sync,
    note: live.note,
    async share(name, { tree, project, ...ways }, context) {
      const files = { project, sent: 0, fetched: 0 };
      const caller = { hub: parts.hub, context };
      const trees = [...(await familyOf(caller, name, tree))];
      for (const one of trees) await callHub(caller, 'loom.share_files_set', { remote: name, tree: one, files });
      return sync(name, { trees, ...ways }, context);
    },
    noteReached(name) {
      const noteAll = async (): Promise<void> => {
        for (const tree of await treesWithFiles(reach, name, null)) live.note(name, tree);
      };
      detach(noteAll(), () => undefined);
    },
    end() {
      ending.abort();
      live.end();
    },
  };
}

/** The sets of a tree that were refused lately: whoever asks has all looked at again, a hub by itself now and then. */
function createRefused() {
  const known = new Map<string, { sets: Map<number, string>; atMs: number }>();
  return (remote: string, tree: TreeId, isExplicit: boolean): Map<number, string> => {
    const key = `${remote} ${tree}`;
    const before = known.get(key);
    if (!isExplicit && before !== undefined && performance.now() < before.atMs + STOPPED_REST_MS) return before.sets;
    const sets = new Map<number, string>();
    known.set(key, { sets, atMs: performance.now() });
    return sets;
  };
}

/** A tree and what it owns of what is shared. */
async function familyOf(reach: InternalCaller, remote: string, top: TreeId): Promise<Set<TreeId>> {
  const { shares } = await callHub(reach, 'loom.share_list', { remote, tree: null });
  const family = new Set([top]);
  for (let before = 0; before < family.size; ) {
    before = family.size;
    for (const { tree } of shares) if (tree.owner !== null && family.has(tree.owner.tree)) family.add(tree.id);
  }
  return family;
}

async function treesWithFiles(
  reach: InternalCaller,
  remote: string,
  among: readonly TreeId[] | null,
): Promise<TreeId[]> {
  const only = among?.length === 1 ? (among[0] ?? null) : null;
  const { shares } = await callHub(reach, 'loom.share_list', { remote, tree: only });
  const wanted = new Set(among);
  return shares
    .filter(({ files, tree }) => files !== null && (among === null || wanted.has(tree.id)))
    .map(({ tree }) => tree.id);
}

type RefusedOf = (tree: TreeId) => Map<number, string>;

async function syncAll(
  parts: LaneParts,
  reach: InternalCaller,
  { remote, trees, sends, fetches, refusedOf }: Wanted & { remote: Remote; refusedOf: RefusedOf },
): Promise<SyncedFiles[]> {
  await requirePrepared(remote);
  const writes = sends && (await mayWrite(remote));
  if (writes) await greet(reach, remote, parts.version);
  const done: SyncedFiles[] = [];
  for (const tree of trees)
    done.push(await syncTree(parts, reach, { remote, tree, sends: writes, fetches, refused: refusedOf(tree) }));
  await announce(
    remote,
    done.filter(({ sent }) => sent > 0).map(({ tree }) => tree),
  );
  return done;
}

async function mayWrite(remote: Remote): Promise<boolean> {
  const sql = `SELECT has_function_privilege('${PUBLISH_FILES_FUNCTION}', 'EXECUTE') AS may`;
  const [row] = await remote.query<{ may: string }>(sql);
  return row?.may === 't';
}

/** What goes wrong with one tree is told in what it returns. */
async function syncTree(
  { bytesMax, tellFiles }: LaneParts,
  reach: InternalCaller,
  { remote, tree, sends, fetches, refused }: Ways & { remote: Remote; tree: TreeId; refused: Map<number, string> },
): Promise<SyncedFiles> {
  const done: SyncedFiles = { tree, sent: 0, received: 0, bytes: 0, paths: 0, refused: 0, problem: null };
  let all = 0;
  const tell: TellBytes = (bytes, of) => {
    all = of;
    tellFiles({ remote: remote.name, tree }, bytes, of);
  };
  try {
    const found = sends ? await shareOf(reach, remote, tree) : null;
    if (found !== null && found.share.files !== null) {
      const { project } = found.share.files;
      // What is being recorded belongs to what was said. Where nothing can be recorded there is nothing to wait for.
      await callHub(reach, 'files.settle', { project, tells: false });
      const toSend = { tree, files: found.share.files, hub: found.hub, bytesMax: bytesMax(), tell };
      Object.assign(done, await sendFiles(reach, remote, toSend));
    }
    const now = fetches ? await shareOf(reach, remote, tree) : null;
    if (now !== null && now.share.files !== null) {
      const { files, fetched: entries } = now.share;
      const toFetch = { tree, files, entries, hub: now.hub, bytesMax: bytesMax(), refused, tell };
      const got = await fetchFiles(reach, remote, toFetch);
      const [first = null] = refused.values();
      done.refused = refused.size;
      done.problem = refused.size > 1 ? `${first} (and ${refused.size - 1} more)` : first;
      done.received = got.received;
      done.bytes += got.bytes;
      done.paths = Math.max(done.paths, got.paths);
    }
  } catch (error) {
    // Without the remote nothing else goes either.
    if (!(error instanceof HubError) || ['network', 'unauthorised', 'cancelled'].includes(error.kind)) throw error;
    Object.assign(done, { problem: error.message, refused: 0 });
  } finally {
    if (all > 0) tellFiles({ remote: remote.name, tree }, all, all);
  }
  return done;
}
