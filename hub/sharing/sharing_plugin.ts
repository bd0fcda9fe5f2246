import { hostname, userInfo } from 'node:os';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { CallContext, HubCalls, HubResolve, Plugin } from '../base/plugin.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { TreeId } from '../protocol/node.js';
import { type Remote, withRemote } from './remote_connection.js';
import { prepareRemote, requirePrepared } from './remote_schema.js';
import { checkRemote, listRemoteTrees, purgeRemoteTrees } from './remote_trees.js';
import { shareOf, shareOwned, syncRemote } from './sync_remote.js';

interface SharingParts {
  version: string;
  /** The address of a remote, with its password; null for one that is not named. */
  addressOf(name: string): string | null;
}

/** Trees that several hubs share: each keeps them, and PostgreSQL stands between. */
export function createSharing(hub: HubCalls & HubResolve, parts: SharingParts): Plugin {
  const queue = createQueue();
  const on = <T>(name: string, context: CallContext, use: (remote: Remote, reach: InternalCaller) => Promise<T>) => {
    const address = parts.addressOf(name);
    if (address === null) throw unknownRemote(name);
    const { signal } = context;
    return queue(name, () => withRemote({ name, address, signal }, (remote) => use(remote, { hub, context })));
  };
  const onPrepared: typeof on = (name, context, use) =>
    on(name, context, async (remote, reach) => {
      await requirePrepared(remote);
      return use(remote, reach);
    });

  return {
    name: 'sharing',
    version: parts.version,
    methods: {
      'sharing.remote_init': ({ remote: name }, context) => on(name, context, prepareRemote),
      'sharing.remote_check': ({ remote: name }, context) => on(name, context, checkRemote),
      'sharing.tree_list': ({ remote: name, limit }, context) =>
        onPrepared(name, context, async (remote, reach) => {
          const { shares } = await callHub(reach, 'loom.share_list', { remote: name });
          const shared = new Set(shares.map(({ tree }) => tree.id));
          const trees = await listRemoteTrees(remote, limit);
          return { trees: trees.map((tree) => ({ ...tree, shared: shared.has(tree.id) })) };
        }),
      'sharing.list': async (_, context) => {
        const { shares } = await callHub({ hub, context }, 'loom.share_list', { remote: null });
        return { shares };
      },
      'sharing.share': ({ remote: name, tree }, context) =>
        onPrepared(name, context, (remote, reach) => share(reach, remote, { tree, version: parts.version })),
      'sharing.unshare': ({ remote: name, tree, purge }, context) =>
        unshare({ hub, context }, { name, tree, purge }, onPrepared),
      'sharing.sync': (params, context) =>
        onPrepared(params.remote, context, async (remote, reach) => {
          if (params.sends) await greet(reach, remote, parts.version);
          if (params.tree !== null && !params.fetches && (await shareOf(reach, remote, params.tree)) === null)
            throw notShared(params.remote, params.tree);
          return { trees: await syncRemote(reach, remote, params) };
        }),
    },
  };
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
): Promise<ResultOf<'sharing.share'>> {
  const { name } = remote;
  await greet(reach, remote, version);
  const wasShared = (await shareOf(reach, remote, tree)) !== null;
  await callHub(reach, 'loom.share_set', { remote: name, tree, sent: 0 });
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
  const { shares } = await callHub(reach, 'loom.share_list', { remote: name });
  const family = new Set([tree]);
  for (const { tree: one } of shares) if (one.owner !== null && family.has(one.owner.tree)) family.add(one.id);
  // First there: what is shared no longer could not be deleted any more.
  const purged = purge && (await onPrepared(name, reach.context, (remote) => purgeRemoteTrees(remote, [...family])));
  for (const one of family) await callHub(reach, 'loom.share_remove', { remote: name, tree: one });
  return { trees: family.size, purged };
}

/** Tells the remote who this hub is; who may only read leaves no trace. */
async function greet(reach: InternalCaller, remote: Remote, version: string): Promise<void> {
  const { hub } = await callHub(reach, 'loom.share_list', { remote: null });
  const [row] = await remote.query<{ is_own: string }>('SELECT cognition.greet($1, $2, $3, $4) AS is_own', [
    ...[hub, personName(), hostname(), version],
  ]);
  if (row?.is_own === 't') return;
  throw new HubError('unauthorised', `this home is known at ${remote.name} as one of another login`, {
    hint: `its owner can give it to you: UPDATE cognition.hubs SET login = '<your login>' WHERE id = '${hub}'`,
  });
}

function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody'; // a user without a name in the system
  }
}

/** One call after the other for each remote: two at once would send the same. */
function createQueue(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, next);
    return next;
  };
}

function unknownRemote(name: string): HubError {
  return new HubError('not_found', `there is no remote ${JSON.stringify(name)}`, {
    hint: ['give it an address: ', cliCommand('remote add', name, 'postgres://user:password@host/database')],
  });
}

function notShared(name: string, tree: TreeId): HubError {
  return new HubError('not_found', `${tree.slice(0, 8)} is not shared over ${name}`, {
    hint: ['share it: ', cliCommand('share', tree.slice(0, 8), name)],
  });
}
