import { onAbort } from '../../base/abort.js';
import { detach, neverFails } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import type { HubCalls, HubResolve, Log } from '../../base/plugin.js';
import { within } from '../../base/wait_at_most.js';
import type { LiveEvent } from '../../protocol/methods/live_methods.js';
import type { TreeId } from '../../protocol/node.js';
import { announce, announceTurns, hearAnnounced } from '../announce.js';
import type { CallQueue } from '../call_queue.js';
import type { FilesLane } from '../files/files_lane.js';
import { greet } from '../greet.js';
import { type OpenRemote, openRemote, remoteError } from '../remote_connection.js';
import { requirePrepared } from '../remote_schema.js';
import { PUBLISH_FUNCTION } from '../schema/publish_schema.js';
import { syncTree } from '../sync_remote.js';
import { backOffMs, createSleep, type Sleep } from './pause.js';
import { createTreesToDo, type TreesToDo, type TreeToDo } from './trees_to_do.js';
import { createTurnLane, type TurnLane } from './turn_lane.js';
import type { Delivery } from './turn_messages.js';

/** How often a remote is asked that does not tell by itself. */
const POLL_MS = 2_000;
/** How often one is asked that does: a way that is cut says nothing. */
const CHECK_MS = 60_000;
/** How often a hub may send and announce in the long run: announcing takes a lock of the whole server, and sending takes from the appends. */
const ROUND_MS = 50;
/** So many rounds may come at once after a while without. */
const ROUND_BURST = 5;
/** How long a hub that ends sends what is left. */
const LEAVE_MS_MAX = 3_000;
/** What takes longer than this to be sent is told of. */
const SLOW_MS = 1_000;
/** Who may only read has no name at a remote. */
const NO_HUB = '00000000-0000-0000-0000-000000000000';

export interface LinkParts {
  name: string;
  hub: HubCalls & HubResolve;
  version: string;
  queue: CallQueue;
  log: Log;
  /** Its address now; fails when it has none. */
  address(): string;
  tell(event: LiveEvent): void;
  /** Told of trees whose recorded files may go along. */
  files: Pick<FilesLane, 'note' | 'noteReached'>;
  /** Does what another hub says to a turn of this one. */
  deliver: Delivery;
}

/** A remote that what is appended is sent to as it is appended, and from which is fetched what others announce. */
export interface RemoteLink {
  setShared(trees: readonly string[]): void;
  isShared(tree: string): boolean;
  /** Notes that something was appended. */
  noteAppended(tree: string): void;
  /** Notes a new tree that a shared one owns. */
  noteOwned(tree: string, owner: string): void;
  /** The turns of its shared trees: those of this hub and of others. */
  turns: Pick<TurnLane, 'setOwn' | 'elsewhere' | 'knows' | 'say'>;
  problems: TreesToDo['problems'];
  /** Looks again, and connects now if it waits to. */
  wake(): void;
  end(): Promise<void>;
}

interface Link {
  parts: LinkParts;
  reach: InternalCaller;
  toDo: TreesToDo;
  lane: TurnLane;
  sleep: Sleep;
  signal: AbortSignal;
  isReached: boolean;
  /** It ends after what there is to do. */
  isLeaving: boolean;
  countAgain(): void;
}

export function createLink(parts: LinkParts): RemoteLink {
  const ending = new AbortController();
  const { signal } = ending;
  const sleep = createSleep();
  const toDo = createTreesToDo();
  const laneParts = {
    name: parts.name,
    sharedTrees: toDo.sharedTrees,
    tell: parts.tell,
    wake: sleep.wake,
    deliver: parts.deliver,
  };
  const link: Link = {
    ...{ parts, sleep, signal, isReached: false, isLeaving: false },
    reach: { hub: parts.hub, context: ownContext(signal) },
    ...{ toDo, lane: createTurnLane(laneParts) },
    countAgain: () => undefined,
  };
  link.countAgain = createCount(link);
  onAbort(signal, sleep.wake);
  const running = run(link);
  detach(running, neverFails);
  const hasMore = (): void => (link.isReached ? sleep.wake() : link.countAgain());
  return {
    turns: link.lane,
    problems: toDo.problems,
    setShared: link.toDo.setShared,
    isShared: link.toDo.isShared,
    noteAppended(tree) {
      // What is known waits for its round already.
      if (link.toDo.noteAppended(tree) || !link.isReached) hasMore();
    },
    noteOwned(tree, owner) {
      link.toDo.noteOwned(tree, owner);
      hasMore();
    },
    wake() {
      link.toDo.lookAgain(true);
      sleep.wake();
    },
    async end() {
      link.isLeaving = true;
      link.lane.leave();
      if (link.isReached) await within(LEAVE_MS_MAX, running);
      ending.abort();
      await running;
    },
  };
}

/** Tells how much there is to send, at most five times a second. */
function createCount(link: Link): () => void {
  const { parts, signal } = link;
  let timer: NodeJS.Timeout | undefined;
  const count = async (): Promise<void> => {
    const { shares } = await callHub(link.reach, 'loom.share_list', { remote: parts.name, tree: null });
    const to_send = shares.reduce((sum, share) => sum + share.to_send, 0);
    parts.tell({ kind: 'remote_state', remote: parts.name, away: !link.isReached, to_send });
  };
  onAbort(signal, () => clearTimeout(timer));
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) detach(count(), (error) => noteUnlessEnding(link, error));
    }, 200);
  };
}

function noteUnlessEnding({ parts, signal }: Link, error: unknown): void {
  if (!signal.aborted) parts.log('warn', `sharing over ${parts.name}: ${String(error)}`);
}

async function run(link: Link): Promise<void> {
  const { parts, sleep, signal } = link;
  let failures = 0;
  let told = '';
  while (!signal.aborted) {
    try {
      await stay(link, () => {
        if (told !== '') parts.log('info', `sharing over ${parts.name} goes on`);
        failures = 0;
        told = '';
      });
    } catch (error) {
      const { message } = remoteError(parts.name, error, signal);
      if (message !== told && !signal.aborted) parts.log('warn', `sharing over ${parts.name} waits: ${message}`);
      told = message;
    }
    link.isReached = false;
    link.lane.noteLost();
    if (signal.aborted || link.isLeaving) return;
    link.countAgain();
    await sleep.wait(backOffMs(failures));
    failures += 1;
  }
}

/** Takes over what there is and what comes, until the connection is gone. */
async function stay(link: Link, onReached: () => void): Promise<void> {
  const { parts, reach, toDo, lane, sleep, signal } = link;
  const { name, queue } = parts;
  const remote = await openRemote({ name, address: parts.address(), signal });
  const stopListening = onAbort(remote.lost, sleep.wake);
  try {
    await requirePrepared(remote);
    const writes = await mayWrite(remote);
    const hears = await hearAnnounced(remote, {
      entries: (ids) => (toDo.noteAnnounced(ids) ? sleep.wake() : undefined),
      turns: (ids) => (ids.some(toDo.isShared) ? lane.noteNews() : undefined),
    });
    const hub = writes ? await queue(name, () => greet(reach, remote, parts.version)) : NO_HUB;
    toDo.lookAgain(true);
    link.isReached = true;
    parts.files.noteReached(name);
    const takes = createTaking(link, remote, { hub, writes });
    let lookedMs = performance.now();
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const isLast = link.isLeaving;
      const waitMs = await takes();
      if (isLast) return;
      if (isFirst) onReached();
      const roundMs = hears ? CHECK_MS : POLL_MS;
      if (performance.now() >= lookedMs + roundMs) {
        lookedMs = performance.now();
        toDo.lookAgain(false);
        lane.noteNews();
      } else await sleep.wait(Math.min(waitMs, lookedMs + roundMs - performance.now()));
      if (remote.lost.aborted) throw new HubError('network', `the connection to ${name} is gone`);
    }
  } finally {
    stopListening();
    await remote.close();
  }
}

async function mayWrite(remote: OpenRemote): Promise<boolean> {
  const [row] = await remote.query<{ may: string }>(
    `SELECT has_function_privilege('${PUBLISH_FUNCTION}', 'EXECUTE') AS may`,
  );
  return row?.may === 't';
}

/** Does what there is to do; returns after how long there is more at the latest. */
function createTaking(link: Link, remote: OpenRemote, me: { hub: string; writes: boolean }): () => Promise<number> {
  const { parts, reach, toDo, lane, signal } = link;
  const { name, queue } = parts;
  const unannounced = new Set<TreeId>();
  // When the rounds so far would all have been, had they stood apart.
  let spentMs = 0;
  const untilRoundMs = (): number => Math.max(0, spentMs - ROUND_BURST * ROUND_MS - performance.now());
  const announceDue = async (): Promise<void> => {
    if (unannounced.size === 0 || untilRoundMs() > 0) return;
    spentMs = Math.max(spentMs, performance.now()) + ROUND_MS;
    await announce(remote, unannounced);
    unannounced.clear();
  };
  const takeAll = async (): Promise<void> => {
    await toDo.look(reach, remote);
    // What is told of a turn waits for no round, and comes after its nodes.
    const take = (): TreeToDo | null => toDo.next(untilRoundMs() === 0 || lane.isToTell());
    for (let next = take(); next !== null && !signal.aborted; next = take()) {
      const sends = next.sends && me.writes;
      if (!sends && !next.fetches) continue;
      const { tree } = next;
      const synced = await syncTree(reach, remote, { remote: name, ...next, sends });
      if (synced.sent > 0) unannounced.add(tree);
      parts.files.note(name, tree);
      const problem = toDo.noteTaken(next, synced);
      if (problem !== null) parts.tell({ kind: 'tree_stopped', remote: name, tree, problem });
      await announceDue();
    }
  };
  return async () => {
    const slow = setTimeout(link.countAgain, SLOW_MS);
    try {
      if (!toDo.isEmpty()) await queue(name, takeAll);
      await queue(name, announceDue);
      // After the nodes: who hears that a turn has ended has its last one.
      await queue(name, async () => {
        await announceTurns(remote, await lane.exchange(remote, me));
        // Who is told what a turn elsewhere has come to has its nodes.
        toDo.noteAnnounced([...lane.untold()]);
        if (!toDo.isEmpty()) await takeAll();
        lane.tellNews();
      });
      const isDone = unannounced.size === 0 && toDo.isEmpty();
      return Math.min(isDone ? Number.POSITIVE_INFINITY : untilRoundMs(), lane.waitMs());
    } finally {
      clearTimeout(slow);
      if (!remote.lost.aborted) parts.tell({ kind: 'remote_state', remote: name, away: false, to_send: 0 });
    }
  };
}
