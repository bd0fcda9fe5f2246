import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { TreeId } from '../../protocol/node.js';
import { ownedTrees } from '../owned_trees.js';
import type { Remote } from '../remote_connection.js';
import type { SyncedTree } from '../sync_remote.js';

/** Trees of others that are announced and not shared here: so many are remembered, so that they are not looked up again. */
const FOREIGN_MAX = 10_000;
/** How soon a tree that could not be gone on with is tried again. */
const RETRY_MS = 60_000;

const NEWS = 'SELECT id, last FROM cognition.trees WHERE id = ANY($1) AND purged_at IS NULL';
const OWNED =
  'SELECT count(*) AS count FROM cognition.trees WHERE id = ANY($1) AND owner = ANY($2) AND purged_at IS NULL';

export interface TreeToDo {
  tree: TreeId;
  /** What it must belong to when it is new here. */
  owner: TreeId | null;
  sends: boolean;
  fetches: boolean;
  /** Whether it may own trees that are not shared yet. */
  owns: boolean;
}

/** Which trees of a remote have something to send or to fetch. */
export interface TreesToDo {
  setShared(trees: readonly string[]): void;
  isShared(tree: string): boolean;
  sharedTrees(): string[];
  /** Returns whether that was not known. */
  noteAppended(tree: string): boolean;
  /** A tree has been made that a shared one owns. */
  noteOwned(tree: string, owner: string): void;
  /** Returns whether any of them may concern this hub. */
  noteAnnounced(ids: readonly string[]): boolean;
  /** What there is to do is announced for anew, here and at the remote; `all`: also of trees that could not be gone on with. */
  lookAgain(all: boolean): void;
  /** Brings what is known up to date, as far as that is wanted. */
  look(reach: InternalCaller, remote: Remote): Promise<void>;
  isEmpty(): boolean;
  /** Takes the next one out; what was appended since a round of sending began waits for the next round. */
  next(beginsRound: boolean): TreeToDo | null;
  /** Notes what came of one; returns its problem if that is a new one. */
  noteTaken(done: TreeToDo, taken: SyncedTree): string | null;
  /** Why trees could not be gone on with. */
  problems(): Iterable<[tree: TreeId, problem: string]>;
}

const setOf = (): Set<string> => new Set();

interface News {
  shared: Set<string>;
  toSend: Set<string>;
  /** With what each must belong to, when it is new here. */
  toFetch: Map<string, TreeId | null>;
  /** Announced, and perhaps owned by a shared one. */
  unknown: Set<string>;
  /** Announced, and not. */
  foreign: Set<string>;
}

async function lookAtAll(reach: InternalCaller, remote: Remote, { shared, toSend, toFetch }: News): Promise<void> {
  const { shares } = await callHub(reach, 'loom.share_list', { remote: remote.name, tree: null });
  const fetched = new Map<string, number>();
  for (const share of shares) {
    shared.add(share.tree.id);
    fetched.set(share.tree.id, share.fetched);
    if (share.tree.last_seq > share.sent) toSend.add(share.tree.id);
  }
  for (const { id, last } of await remote.query<{ id: string; last: string }>(NEWS, [[...fetched.keys()]]))
    if (Number(last) > (fetched.get(id) ?? 0)) toFetch.set(id, null);
  const { owned } = await ownedTrees(
    remote,
    shares.map(({ tree }) => tree),
  );
  for (const { id, owner } of owned) toFetch.set(id, owner);
}

/** Looks whether shared trees own any of those that were announced. */
async function lookAtUnknown(remote: Remote, { shared, unknown, foreign }: News): Promise<boolean> {
  const ids = [...unknown];
  const [row] = await remote.query<{ count: string }>(OWNED, [ids, [...shared]]);
  if (foreign.size > FOREIGN_MAX) foreign.clear();
  for (const id of ids) {
    unknown.delete(id);
    foreign.add(id);
  }
  return row?.count !== '0';
}

interface Waiting extends News {
  /** Trees that own new ones, those that cannot be gone on with, and those of the round of sending under way. */
  owners: Set<string>;
  stopped: Set<string>;
  round: Set<string>;
}

function takeNext({ toSend, toFetch, owners, stopped, round }: Waiting, beginsRound: boolean): TreeToDo | null {
  for (const tree of stopped) toFetch.delete(tree);
  if (round.size === 0 && beginsRound) for (const tree of toSend) round.add(tree);
  const [tree] = round.size > 0 ? round : toFetch.keys();
  if (tree === undefined) return null;
  const owner = toFetch.get(tree) ?? null;
  const [sends, fetches, owns] = [round, toFetch, owners].map((trees) => trees.delete(tree));
  if (sends) toSend.delete(tree);
  return { tree: TreeId.parse(tree), owner, sends: sends === true, fetches: fetches === true, owns: owns === true };
}

export function createTreesToDo(): TreesToDo {
  const news: News = { shared: setOf(), toSend: setOf(), toFetch: new Map(), unknown: setOf(), foreign: setOf() };
  const { shared, toSend, toFetch, unknown, foreign } = news;
  const [owners, stopped, round] = [setOf(), setOf(), setOf()];
  const problems = new Map<TreeId, string>();
  let [isToLook, stoppedMs] = [true, 0];

  return {
    setShared(trees) {
      shared.clear();
      for (const tree of trees) shared.add(tree);
    },
    isShared: (tree) => shared.has(tree),
    ...{ sharedTrees: () => [...shared], problems: () => problems },
    noteAppended(tree) {
      const isNew = !toSend.has(tree);
      toSend.add(tree);
      return isNew;
    },
    noteOwned(tree, owner) {
      // The owner first: that shares what it owns.
      owners.add(owner);
      toSend.add(owner);
      shared.add(tree);
      toSend.add(tree);
    },
    noteAnnounced(ids) {
      for (const id of ids) {
        if (shared.has(id)) toFetch.set(id, null);
        // Whoever can connect can announce anything.
        else if (!foreign.has(id) && unknown.size < FOREIGN_MAX && TreeId.safeParse(id).success) unknown.add(id);
      }
      return toFetch.size + unknown.size > 0;
    },
    lookAgain(all) {
      isToLook = true;
      if (!all && performance.now() < stoppedMs + RETRY_MS) return;
      stopped.clear();
      stoppedMs = performance.now();
    },
    async look(reach, remote) {
      if (unknown.size > 0 && (await lookAtUnknown(remote, news))) isToLook = true;
      if (isToLook) await lookAtAll(reach, remote, news);
      isToLook = false;
    },
    isEmpty: () => !isToLook && toSend.size + round.size + toFetch.size + unknown.size === 0,
    next: (beginsRound) => takeNext({ ...news, owners, stopped, round }, beginsRound),
    noteTaken({ tree, fetches }, { problem }) {
      if (problem === null) {
        shared.add(tree);
        if (fetches || !stopped.has(tree)) problems.delete(tree);
        return null;
      }
      if (fetches) stopped.add(tree);
      if (problems.get(tree) === problem) return null;
      problems.set(tree, problem);
      return problem;
    },
  };
}
