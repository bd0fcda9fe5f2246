import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Share } from '../protocol/methods/sharing_methods.js';
import type { TreeId } from '../protocol/node.js';
import { announce } from './announce.js';
import { fetchTree } from './fetch_entries.js';
import { OWNED_MAX, ownedTrees } from './owned_trees.js';
import { publishTree } from './publish.js';
import type { Remote } from './remote_connection.js';

/** What is to be taken over, but recorded files. */
export type Syncing = Omit<ParsedOf<'sharing.sync'>, 'files'>;

export type Synced = ResultOf<'sharing.sync'>['trees'][number];
/** What became of one tree. */
export type SyncedTree = Omit<Synced, 'title'>;

/** Takes every shared tree over, each way that is asked for; what goes wrong with one does not stop the others. */
export async function syncRemote(reach: InternalCaller, remote: Remote, wanted: Syncing): Promise<Synced[]> {
  const synced: Synced[] = [];
  const done = new Set<TreeId>();
  // Sub-sessions come to light while their owners are taken over.
  for (;;) {
    const { trees, crowded } = await treesToSync(reach, remote, wanted);
    const left = trees.filter(({ id }) => !done.has(id));
    if (left.length === 0) {
      await announce(
        remote,
        synced.filter(({ sent }) => sent > 0).map(({ tree }) => tree),
      );
      return synced.map((one) => (crowded.has(one.tree) ? toldCrowded(one, remote) : one));
    }
    for (const { id: tree, owner } of left) {
      done.add(tree);
      const taken = await syncTree(reach, remote, { ...wanted, tree, owner, owns: true });
      const title = (await shareOf(reach, remote, tree))?.share.tree;
      synced.push({ ...taken, title: title?.name ?? title?.title ?? '' });
    }
  }
}

function toldCrowded(synced: Synced, { name }: Remote): Synced {
  const problem = `it has more than ${OWNED_MAX} sub-sessions at ${name}: the others are not fetched`;
  return { ...synced, problem: synced.problem ?? problem };
}

/** A tree, and what it must belong to; null for one that may be anything. */
interface TreeToSync {
  id: TreeId;
  owner: TreeId | null;
}

/** What is shared, what those trees own here and at the remote, and the one that is asked for. */
async function treesToSync(
  reach: InternalCaller,
  remote: Remote,
  { tree, fetches }: Syncing,
): Promise<{ trees: TreeToSync[]; crowded: ReadonlySet<TreeId> }> {
  const { shares } = await callHub(reach, 'loom.share_list', { remote: remote.name, tree: null });
  const shared = shares.map((share) => share.tree);
  if (tree !== null && !shared.some(({ id }) => id === tree))
    return { trees: [{ id: tree, owner: null }], crowded: new Set() };
  const family = tree === null ? shared : familyOf(shared, tree);
  const { owned, crowded } = fetches ? await ownedTrees(remote, family) : { owned: [], crowded: new Set<TreeId>() };
  return { trees: [...family.map(({ id }) => ({ id, owner: null })), ...owned], crowded };
}

/** A tree, and of the others what it owns, whatever lies between. */
function familyOf(shared: readonly Share['tree'][], top: TreeId): Share['tree'][] {
  const family = new Set([top]);
  for (let before = 0; before < family.size; ) {
    before = family.size;
    for (const tree of shared) if (tree.owner !== null && family.has(tree.owner.tree)) family.add(tree.id);
  }
  return shared.filter(({ id }) => family.has(id));
}

interface Wanted extends Omit<Syncing, 'tree'> {
  tree: TreeId;
  /** What it must belong to; null for one that may be anything. */
  owner: TreeId | null;
  /** Whether it may own trees that are not shared yet. */
  owns: boolean;
}

/** Takes one tree over; what goes wrong with it is told in what it returns. */
export async function syncTree(reach: InternalCaller, remote: Remote, wanted: Wanted): Promise<SyncedTree> {
  const { tree } = wanted;
  const told = { sent: 0, received: 0 };
  const tell = (): void => reach.context.emit({ kind: 'shared', tree, ...told });
  let problem: string | null = null;
  // One of which there are entries is not deleted.
  let isThere = false;
  try {
    if (wanted.fetches) {
      const after = (await shareOf(reach, remote, tree))?.share.fetched ?? 0;
      const onReceived = (nodes: number): void => {
        told.received = nodes;
        isThere = true;
        tell();
      };
      await fetchTree(reach, remote, { tree, owner: wanted.owner, after, onReceived });
      if (!isThere) await refusePurged(remote, tree);
      isThere = true;
    }
    const onSent = (entries: number): void => {
      told.sent = entries;
      tell();
    };
    if (wanted.sends) await send(reach, remote, { ...wanted, isThere, onSent });
  } catch (error) {
    // Without the remote nothing else goes either.
    if (!(error instanceof HubError) || ['network', 'unauthorised', 'cancelled'].includes(error.kind)) throw error;
    problem = error.message;
  }
  return { tree, ...told, problem };
}

/** What is noted of a shared tree, and by which id others know this hub. */
interface Found {
  hub: string;
  share: Share;
}

async function send(
  reach: InternalCaller,
  remote: Remote,
  { tree, owns, isThere, onSent }: { tree: TreeId; owns: boolean; isThere: boolean; onSent(entries: number): void },
): Promise<void> {
  const found = await shareOf(reach, remote, tree);
  if (found === null) return;
  if (owns) await shareOwned(reach, remote, tree);
  const isNew = found.share.tree.last_seq > found.share.sent;
  const isSent = isNew ? await publishTree(reach, remote, { ...found, onSent }) : isThere;
  if (!isSent) await refusePurged(remote, tree);
}

/** Shares what a tree owns and what that owns, as far as it is not shared yet. */
export async function shareOwned(reach: InternalCaller, remote: Remote, tree: TreeId): Promise<number> {
  let count = 0;
  for (let cursor: string | null = null, more = true; more; ) {
    const page: ResultOf<'loom.tree_list'> = await callHub(reach, 'loom.tree_list', {
      ...{ owner: tree, archived: false, project: null, forked_from: null, meta: null, cursor, limit: 500 },
    });
    for (const { id } of page.trees) {
      if ((await shareOf(reach, remote, id)) === null) {
        await callHub(reach, 'loom.share_set', { remote: remote.name, tree: id, sent: 0, fetched: 0 });
      }
      count += 1 + (await shareOwned(reach, remote, id));
    }
    cursor = page.cursor;
    more = cursor !== null;
  }
  return count;
}

export async function shareOf(
  reach: InternalCaller,
  remote: Pick<Remote, 'name'>,
  tree: TreeId,
): Promise<Found | null> {
  const { hub, shares } = await callHub(reach, 'loom.share_list', { remote: remote.name, tree });
  const [share] = shares;
  return share === undefined ? null : { hub, share };
}

async function refusePurged(remote: Remote, tree: TreeId): Promise<void> {
  const [row] = await remote.query<{ purged: string }>(
    'SELECT purged_at IS NOT NULL AS purged FROM cognition.trees WHERE id = $1',
    [tree],
  );
  if (row?.purged !== 't') return;
  throw new HubError('conflict', `it was deleted at ${remote.name}; what is here stays`, {
    hint: ['share it no longer: ', cliCommand('unshare', tree.slice(0, 8), remote.name)],
  });
}
