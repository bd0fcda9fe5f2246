import { randomUUID } from 'node:crypto';
import { HubError } from '../../base/error.js';
import { jsonOrNull } from '../../base/json/json_or_null.js';
import { LeasedTurn, type TurnElsewhere, type TurnMessage } from '../../protocol/methods/live_methods.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { LEASES } from '../schema/turn_limits.js';
import type { LaneParts, TurnLaneState } from './lane_state.js';
import { readAnswers, readInbox, sendSaid } from './turn_inbox.js';
import { isOver, mayOnlyRead, outOfReach, unanswered } from './turn_refusals.js';

/** How often a hub says that its turns still run, and looks whether those of others do. */
const RENEW_MS = 10_000;
/** How long one waits for the hub that has a turn. */
const ANSWER_MS_MAX = 20_000;

/** What runs in shared trees, at one remote: the turns of this hub and those of others, and what is said to them. */
export interface TurnLane {
  setOwn(turns: readonly LeasedTurn[]): void;
  /** Whether something of a turn of this hub is to be told. */
  isToTell(): boolean;
  /** Another hub has something new. */
  noteNews(): void;
  /** The turns of others, as far as they go on or cannot be asked now. */
  elsewhere(): TurnElsewhere[];
  /** Whether it is or was one of another hub. */
  knows(turn: TurnId): boolean;
  say(turn: TurnId, message: TurnMessage): Promise<unknown>;
  /** Brings both sides up to date; returns the trees to announce. */
  exchange(remote: Remote, me: { hub: string; writes: boolean }): Promise<Set<TreeId>>;
  /** Trees with news that is told when their nodes have been fetched. */
  untold(): Iterable<TreeId>;
  tellNews(): void;
  /** After how long it is due again. */
  waitMs(): number;
  /** The connection is gone: what is said is not waited for any longer. */
  noteLost(): void;
  /** The hub ends: the next exchange says of its turns that nobody has them then. */
  leave(): void;
}

interface LeaseRow {
  turn: string;
  tree: string;
  body: string;
  alive: string;
  seen: string;
  by: string;
}

export function createTurnLane(parts: LaneParts): TurnLane {
  const lane: TurnLaneState = {
    ...{ parts, own: new Map(), leased: new Map(), others: new Map(), said: new Map(), answers: new Map() },
    ...{ delivering: new Set(), news: [], isToRead: true, isToTell: true },
    ...{ isReached: false, atMs: 0, readAtMs: Date.now() },
  };
  return {
    setOwn(turns) {
      // One that has ended is told of until the round after.
      const ended = [...lane.own].filter(([, { state }]) => state === 'ended');
      lane.own = new Map([...ended, ...turns.map((turn) => [turn.turn, turn] as const)]);
      lane.isToTell = true;
      parts.wake();
    },
    isToTell: () => lane.isToTell,
    noteNews() {
      lane.isToRead = true;
      parts.wake();
    },
    elsewhere: () => [...lane.others.values()].filter(({ state }) => state !== 'lost' && state !== 'ended'),
    knows: (turn) => lane.others.has(turn),
    say: (turn, message) => say(lane, turn, message),
    exchange: (remote, me) => exchange(lane, remote, me),
    untold: () => lane.news.map(({ tree }) => tree),
    tellNews: () => tellNews(lane),
    waitMs() {
      const isLive = lane.leased.size > 0 || [...lane.others.values()].some(({ state }) => state !== 'lost');
      return isLive ? Math.max(0, lane.atMs + RENEW_MS - performance.now()) : Number.POSITIVE_INFINITY;
    },
    noteLost() {
      lane.leased.clear();
      lane.isToRead = true;
      lane.isToTell = true;
      lane.isReached = false;
      tellNews(lane);
      for (const one of lane.said.values()) one.end(unanswered(parts.name));
      for (const turn of lane.others.values()) noteAway(lane, turn);
    },
    leave() {
      for (const [id, turn] of lane.own) if (turn.state !== 'ended') lane.own.set(id, { ...turn, left: true });
      lane.isToTell = true;
      parts.wake();
    },
  };
}

function tellNews(lane: TurnLaneState): void {
  for (const { tell } of lane.news.splice(0)) tell();
}

/** Whether it still runs is not known while the remote cannot be asked. */
function noteAway({ parts, others, readAtMs }: TurnLaneState, turn: TurnElsewhere): void {
  if (turn.state !== 'running' && turn.state !== 'waiting') return;
  const away: TurnElsewhere = { ...turn, state: 'away', seen_at_ms: readAtMs };
  others.set(turn.turn, away);
  parts.tell(away);
}

async function say(
  { parts, said, others, isReached }: TurnLaneState,
  turn: TurnId,
  message: TurnMessage,
): Promise<unknown> {
  const known = others.get(turn);
  if (known?.state === 'lost' || known?.state === 'ended') throw isOver(known);
  if (!isReached) throw outOfReach(parts.name);
  return new Promise((resolve, reject) => {
    // What is said again after a lost answer is the same.
    const id = message.kind === 'say' ? message.id : randomUUID();
    const timer = setTimeout(() => said.get(id)?.end(unanswered(parts.name)), ANSWER_MS_MAX);
    said.set(id, {
      ...{ id, turn, body: JSON.stringify(message), isSent: false },
      end(answer) {
        clearTimeout(timer);
        said.delete(id);
        if (answer instanceof HubError) reject(answer);
        else resolve(answer);
      },
    });
    parts.wake();
  });
}

async function exchange(
  lane: TurnLaneState,
  remote: Remote,
  { hub, writes }: { hub: string; writes: boolean },
): Promise<Set<TreeId>> {
  const changed = new Set<TreeId>();
  lane.isReached = true;
  lane.isToTell = false;
  const isRound = performance.now() >= lane.atMs + RENEW_MS;
  if (isRound) lane.atMs = performance.now();
  if (writes) await lease(lane, remote, { hub, changed, isRound });
  if (writes) await sendSaid(lane, remote, { hub, changed });
  else for (const one of lane.said.values()) one.end(mayOnlyRead(remote.name));
  for (const [id, { tree, answer }] of lane.answers) {
    await remote.query('SELECT cognition.answer($1, $2, $3)', [hub, id, answer]);
    lane.answers.delete(id);
    changed.add(tree);
  }
  if (lane.isToRead || isRound) {
    lane.isToRead = false;
    await readOthers(lane, remote, hub);
    if (writes) await readInbox(lane, remote, hub);
    await readAnswers(lane, remote);
  }
  return changed;
}

/** Says which turns this hub has, as far as that is news; all of it again in every round. */
async function lease(
  { parts, own, leased }: TurnLaneState,
  remote: Remote,
  { hub, changed, isRound }: { hub: string; changed: Set<TreeId>; isRound: boolean },
): Promise<void> {
  for (const [id, { state }] of own) if (isRound && state === 'ended' && leased.has(id)) own.delete(id);
  const shared = new Set(parts.sharedTrees());
  const now = new Map(
    [...own].filter(([, { tree }]) => shared.has(tree)).map(([id, turn]) => [id, JSON.stringify(turn)]),
  );
  for (const [id, body] of now) {
    const tree = own.get(id)?.tree;
    if (leased.get(id) === body || tree === undefined) continue;
    await remote.query('SELECT cognition.lease($1, $2, $3, $4)', [hub, tree, id, body]);
    changed.add(tree);
  }
  const ended = [...leased].filter(([id]) => !now.has(id));
  if (ended.length > 0 || isRound) await remote.query('SELECT cognition.renew($1, $2)', [hub, [...now.keys()]]);
  for (const [, body] of ended) changed.add(LeasedTurn.parse(JSON.parse(body)).tree);
  leased.clear();
  for (const [id, body] of now) leased.set(id, body);
}

async function readOthers(lane: TurnLaneState, remote: Remote, hub: string): Promise<void> {
  const { parts, others } = lane;
  const rows = await remote.query<LeaseRow>(LEASES, [parts.sharedTrees(), hub]);
  lane.readAtMs = Date.now();
  const found = new Set<string>();
  for (const { turn, tree, body, alive, seen, by } of rows) {
    const said = LeasedTurn.safeParse(jsonOrNull(body)).data;
    if (said === undefined || said.turn !== turn || said.tree !== tree) continue;
    found.add(turn);
    const now = { ...said, kind: 'turn_elsewhere' as const, remote: parts.name, by };
    const isAlive = (alive === 't' && said.left !== true) || said.state === 'ended';
    noteIfNew(lane, isAlive ? now : { ...now, state: 'lost', seen_at_ms: Number(seen) });
  }
  for (const [turn, known] of others) {
    if (found.has(turn)) continue;
    noteIfNew(lane, { ...known, state: 'ended' });
    others.delete(turn);
  }
}

function noteIfNew({ parts, others, news }: TurnLaneState, turn: TurnElsewhere): void {
  const known = others.get(turn.turn);
  if (JSON.stringify(known) === JSON.stringify(turn) || (known?.state === 'ended' && turn.state === 'ended')) return;
  others.set(turn.turn, turn);
  news.push({ tree: turn.tree, tell: () => parts.tell(turn) });
}
