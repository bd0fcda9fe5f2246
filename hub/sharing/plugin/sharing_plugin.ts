import { aborted } from '../../base/abort.js';
import { detach } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Appended, CallContext, HubCalls, HubResolve, Log, Plugin } from '../../base/plugin.js';
import type { SharedProject } from '../../config/shared_projects.js';
import type { TurnElsewhere } from '../../protocol/methods/live_methods.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { SyncedFiles } from '../../protocol/methods/sharing_methods.js';
import type { TreeId } from '../../protocol/node.js';
import { announce } from '../announce.js';
import { type CallQueue, createQueue } from '../call_queue.js';
import { createFilesLane, type FilesLane } from '../files/files_lane.js';
import { fsckRemote } from '../fsck_remote.js';
import { greet } from '../greet.js';
import { createLiveRemotes, type LiveRemotes } from '../live/live_remotes.js';
import { isSent, type SendUpTo, waitForNode } from '../live/wait_for_node.js';
import { type Remote, requireAddress, withRemote } from '../remote_connection.js';
import { prepareRemote, requirePrepared } from '../remote_schema.js';
import { checkRemote, listRemoteTrees, purgeRemoteTrees } from '../remote_trees.js';
import { shareOf, shareOwned, syncRemote } from '../sync_remote.js';
import { taskMethods } from '../tasks/task_calls.js';
import { createTaskLines } from '../tasks/task_lines.js';
import { createNewTrees } from './share_new_trees.js';

interface SharingParts {
  version: string;
  log: Log;
  /** The address of a remote, with its password; null for one that is not named. */
  addressOf(name: string): string | null;
  /** Whether the hub keeps a connection to a remote over which something is shared. */
  isLive(): boolean;
  /** What the recorded files of one tree may have at a remote. */
  filesBytesMax(): number;
  /** Projects whose new trees are shared. */
  sharedProjects(): SharedProject[];
}

export interface SharingPlugin extends Plugin {
  /** Begins to follow what is shared. */
  begin(): void;
  /** Takes note of what was appended. */
  note(entries: readonly Appended[]): void;
  /** Ends the connections that stay. */
  end(): Promise<void>;
}

/** Trees that several hubs share: each keeps them, and PostgreSQL stands between. */
export function createSharing(hub: HubCalls & HubResolve, parts: SharingParts): SharingPlugin {
  const { version, log, addressOf } = parts;
  const queue = createQueue();
  const files = createFilesLane({
    ...{ hub, version, log, addressOf, bytesMax: parts.filesBytesMax },
    tellStopped: (remote, tree, problem) => live.tell({ kind: 'tree_stopped', remote, tree, problem }),
    tellFiles: (at, bytes, of) => live.tell({ kind: 'files_state', ...at, bytes, of }),
  });
  const live: LiveRemotes = createLiveRemotes({ ...parts, hub, queue, files });
  const { beside, on, onPrepared } = createOnRemote(hub, parts, queue);
  const lines = createTaskLines(hub, parts);
  const refresh = (): void => detach(live.refresh(), (error) => log('warn', `sharing: ${String(error)}`));
  const noteNew = createNewTrees({ ...parts, hub, onShared: refresh });
  const refreshed = <T>(done: Promise<T>): Promise<T> => done.finally(refresh);

  return {
    name: 'sharing',
    version,
    begin: refresh,
    note: (entries) => {
      live.note(entries);
      noteNew(entries);
    },
    end: async () => {
      files.end();
      await live.end();
      lines.end();
    },
    methods: {
      'sharing.follow': async ({ tree }, context) => follow(live, tree, context),
      'sharing.wait': (params, context) => waitForNode({ hub, context }, params, sendUpTo({ beside, queue, version })),
      'sharing.turn_list': async ({ tree }) => ({ turns: live.turns().filter(isIn(tree)).map(asRunning) }),
      'sharing.turn_tell': async ({ turn, message }) => ({ answer: await live.say(turn, message) }),
      'sharing.remote_init': ({ remote: name }, context) => on(name, context, prepareRemote),
      'sharing.remote_check': ({ remote: name }, context) => on(name, context, checkRemote),
      'sharing.remote_fsck': ({ remote: name, repair }, context) =>
        // Beside what is sent and fetched meanwhile: it may take long.
        beside(name, context, (remote, reach) => fsckRemote(reach, remote, repair)),
      'sharing.tree_list': ({ remote: name, limit }, context) =>
        onPrepared(name, context, (remote, reach) => listTrees(reach, remote, limit)),
      'sharing.list': (_, context) => listShares({ hub, context }),
      'sharing.share': async (params, context) => ({
        ...(await refreshed(
          onPrepared(params.remote, context, (remote, reach) => share(reach, remote, { ...params, version })),
        )),
        files: await syncFiles(files, { ...params, trees: [], sends: true, fetches: true }, context),
      }),
      'sharing.unshare': ({ remote: name, tree, purge }, context) =>
        refreshed(unshare({ hub, context }, { name, tree, purge }, onPrepared)),
      'sharing.sync': async (params, context) => {
        const trees = await refreshed(
          onPrepared(params.remote, context, (remote, reach) => syncTrees(reach, remote, { ...params, version })),
        );
        return { trees, files: await syncFiles(files, { ...params, trees }, context) };
      },
      ...taskMethods(hub, { lines, version }),
    },
  };
}

/** The ways to do something at a remote: at once, after what is done there by others, and only where it is prepared. */
function createOnRemote(hub: HubCalls & HubResolve, parts: SharingParts, queue: CallQueue) {
  const beside: OnRemote = async (name, context, use) => {
    const at = { name, address: requireAddress(parts, name), signal: context.signal };
    return withRemote(at, (remote) => use(remote, { hub, context }));
  };
  const on: OnRemote = (name, context, use) => queue(name, () => beside(name, context, use));
  const onPrepared: OnRemote = (name, context, use) =>
    on(name, context, (remote, reach) => requirePrepared(remote).then(() => use(remote, reach)));
  return { beside, on, onPrepared };
}

/** Sends what a remote lacks of a tree. */
function sendUpTo({ beside, queue, version }: { beside: OnRemote; queue: CallQueue; version: string }): SendUpTo {
  return async ({ context }, name, upTo) => {
    const send: Parameters<typeof beside<void>>[2] = (remote, reach) =>
      queue(name, async () => {
        if (await isSent(reach, name, upTo)) return;
        await requirePrepared(remote);
        const wanted = { remote: name, tree: upTo.tree, sends: true, fetches: false, files: null, version };
        const failed = (await syncTrees(reach, remote, wanted)).find(({ problem }) => problem !== null);
        if (failed !== undefined) throw new HubError('conflict', `${failed.tree.slice(0, 8)}: ${failed.problem}`);
      });
    await beside(name, context, send);
  };
}

async function listShares(reach: InternalCaller): Promise<ResultOf<'sharing.list'>> {
  const { shares } = await callHub(reach, 'loom.share_list', { remote: null, tree: null });
  return { shares };
}

async function listTrees(reach: InternalCaller, remote: Remote, limit: number): Promise<ResultOf<'sharing.tree_list'>> {
  const { shares } = await callHub(reach, 'loom.share_list', { remote: remote.name, tree: null });
  const shared = new Set(shares.map(({ tree }) => tree.id));
  const trees = await listRemoteTrees(remote, limit);
  return { trees: trees.map((tree) => ({ ...tree, shared: shared.has(tree.id) })) };
}

async function syncTrees(
  reach: InternalCaller,
  remote: Remote,
  { version, ...params }: ParsedOf<'sharing.sync'> & { version: string },
): Promise<ResultOf<'sharing.sync'>['trees']> {
  const { tree, sends, fetches } = params;
  if (sends) await greet(reach, remote, version);
  if (tree !== null && !fetches && (await shareOf(reach, remote, tree)) === null) throw notShared(params.remote, tree);
  return syncRemote(reach, remote, params);
}

/** Those of the trees that were taken over, or of the one for which a folder is named. */
function syncFiles(
  files: FilesLane,
  { remote, tree, files: project, trees, sends, fetches }: Omit<ParsedOf<'sharing.sync'>, 'trees'> & SyncedTrees,
  context: CallContext,
): Promise<SyncedFiles[]> {
  if (project !== null && tree !== null) return files.share(remote, { tree, project, sends, fetches }, context);
  return files.sync(remote, { trees: trees.map((one) => one.tree), sends, fetches }, context);
}

type SyncedTrees = Pick<ResultOf<'sharing.sync'>, 'trees'>;

function isIn(tree: TreeId | null): (turn: TurnElsewhere) => boolean {
  return (turn) => tree === null || turn.tree === tree;
}

/** As the turns of this hub are listed; what it costs only its own hub knows. */
function asRunning(elsewhere: TurnElsewhere): ResultOf<'sharing.turn_list'>['turns'][number] {
  const { turn, tree, node, tip, model, level, started_at_ms, questions, by, seen_at_ms } = elsewhere;
  const isAsking = questions.some(({ answer }) => answer === null);
  return {
    ...{ turn, tree, node, tip, model, level, started_at_ms, questions, by, seen_at_ms },
    ...{ activity: isAsking ? 'asking' : 'answering', iterations: 0, usage: null },
    ...{ price_microdollars: null, parent: null, task: null },
  };
}

async function follow(live: LiveRemotes, tree: TreeId | null, context: CallContext): Promise<Record<string, never>> {
  const unfollow = live.follow(tree, (event) => context.emit(event));
  await aborted(context.signal);
  unfollow();
  return {};
}

type OnRemote = <T>(
  name: string,
  context: CallContext,
  use: (remote: Remote, reach: InternalCaller) => Promise<T>,
) => Promise<T>;

async function share(
  reach: InternalCaller,
  remote: Remote,
  { tree, version }: { tree: TreeId; version: string },
): Promise<Omit<ResultOf<'sharing.share'>, 'files'>> {
  const { name } = remote;
  await greet(reach, remote, version);
  const wasShared = (await shareOf(reach, remote, tree)) !== null;
  await callHub(reach, 'loom.share_set', { remote: name, tree, sent: 0, fetched: 0 });
  const trees = 1 + (await shareOwned(reach, remote, tree));
  const synced = await syncRemote(reach, remote, { remote: name, tree, sends: true, fetches: true });
  const failed = synced.find(({ problem }) => problem !== null);
  if (failed === undefined) return { trees, sent: synced.reduce((sum, { sent }) => sum + sent, 0) };
  if (!wasShared) await callHub(reach, 'loom.share_remove', { remote: name, tree });
  throw new HubError('conflict', `${failed.tree.slice(0, 8)}: ${failed.problem}`);
}

async function unshare(
  reach: InternalCaller,
  { name, tree, purge }: { name: string; tree: TreeId; purge: boolean },
  onPrepared: OnRemote,
): Promise<ResultOf<'sharing.unshare'>> {
  if ((await shareOf(reach, { name }, tree)) === null) throw notShared(name, tree);
  const { shares } = await callHub(reach, 'loom.share_list', { remote: name, tree: null });
  const family = new Set([tree]);
  for (const { tree: one } of shares) if (one.owner !== null && family.has(one.owner.tree)) family.add(one.id);
  // First there: what is shared no longer could not be deleted any more.
  const purged =
    purge &&
    (await onPrepared(name, reach.context, async (remote) => {
      const isGone = await purgeRemoteTrees(remote, [...family]);
      await announce(remote, family);
      return isGone;
    }));
  for (const one of family) await callHub(reach, 'loom.share_remove', { remote: name, tree: one });
  return { trees: family.size, purged };
}

function notShared(name: string, tree: TreeId): HubError {
  return new HubError('not_found', `${tree.slice(0, 8)} is not shared over ${name}`, {
    hint: ['share it: ', cliCommand('share', tree.slice(0, 8), name)],
  });
}
