import type { Client } from '../../../hub/client/client.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import { formatAge } from '../../render/text/age.js';
import { cleanLine } from '../../render/text/clean.js';
import { treeWords } from '../../render/tree/tree_list.js';

type Running = ResultOf<'agent.status'>['turns'][number];
type PastTurn = ResultOf<'loom.turn_list'>['turns'][number];

/** A running or ended turn of this conversation, of its sub-sessions or of another conversation. */
export interface Agent {
  turn: TurnId;
  tree: TreeId;
  tip: NodeId;
  /** Its current activity, or its end. */
  activity: string;
  isRunning: boolean;
  /** Whether another hub has it; and whether that cannot be asked now. */
  isElsewhere: boolean;
  isAway: boolean;
  /** Null once the hub no longer knows it. */
  model: string | null;
  /** Its task; null for the turn of this conversation. */
  task: string | null;
  startedAtMs: number;
  endedAtMs: number | null;
  tokens: { in: number; out: number } | null;
  priceMicrodollars: number | null;
}

/** Lists running and ended turns. */
export interface AgentList {
  /** Refreshes the list: this conversation, its sub-sessions, other conversations, ended turns. */
  ask(): Promise<readonly Agent[]>;
}

/** The number of ended turns listed, newest first. */
const ENDED_MAX = 100;
const TURNS_READ_MAX = 20;

interface Listing {
  client: Client;
  tree: TreeId;
  /** The turns that ran at the last refresh. */
  running: ReadonlyMap<TurnId, Agent>;
  ended: Map<TurnId, Agent>;
  /** Sub-sessions whose end is listed. */
  endedTrees: Set<TreeId>;
}

export function createAgentList(client: Client, tree: TreeId): AgentList {
  const listing: Listing = { client, tree, running: new Map(), ended: new Map(), endedTrees: new Set() };
  return {
    async ask() {
      const { turns } = await client.call('agent.status', {});
      const own = new Set(turns.filter((one) => one.tree === tree).map(({ turn }) => turn));
      const place = ({ tree: of, parent }: Running): number => {
        if (of === tree) return 0;
        return parent !== null && own.has(parent.turn) ? 1 : 2;
      };
      const sorted = [...turns].sort((a, b) => place(a) - place(b)).map((one) => runningAgent(one, tree));
      const running = new Map(sorted.map((one) => [one.turn, one]));
      await takeEnded(listing, running);
      listing.running = running;
      const ended = [...listing.ended.values()].filter(({ turn }) => !running.has(turn));
      const newest = ended.sort((a, b) => (b.endedAtMs ?? 0) - (a.endedAtMs ?? 0)).slice(0, ENDED_MAX);
      return [...sorted, ...newest];
    },
  };
}

/** Looks up the ends of turns that no longer run, and of sub-sessions that no refresh has seen running. */
async function takeEnded(listing: Listing, running: ReadonlyMap<TurnId, Agent>): Promise<void> {
  const gone = [...listing.running.values()].filter(({ turn }) => !running.has(turn));
  const found = await Promise.all(gone.map(async (one) => endedAgent(one, await pastTurn(listing, one))));
  for (const one of [...(await unseenSessions(listing, running)), ...found]) {
    listing.ended.set(one.turn, one);
    listing.endedTrees.add(one.tree);
  }
}

async function unseenSessions(listing: Listing, running: ReadonlyMap<TurnId, Agent>): Promise<Agent[]> {
  const { client, tree, endedTrees } = listing;
  const { trees } = await client.call('loom.tree_list', { owner: tree, limit: ENDED_MAX });
  const seen = new Set([...running.values(), ...listing.running.values()].map((one) => one.tree));
  const found = trees.map(async (one): Promise<Agent[]> => {
    if (seen.has(one.id) || endedTrees.has(one.id)) return [];
    const { turns } = await client.call('loom.turn_list', { tree: one.id, limit: 1 });
    const task = treeWords(one);
    const rest = {
      isRunning: false,
      isElsewhere: false,
      isAway: false,
      model: null,
      task,
      tokens: null,
      priceMicrodollars: null,
    };
    // One that has begun since is listed as running at the next refresh.
    return turns
      .filter(({ state }) => state !== 'running')
      .map((turn) => endedAgent({ ...rest, ...turn, turn: turn.id, startedAtMs: turn.started_at_ms }, turn));
  });
  return (await Promise.all(found)).flat();
}

async function pastTurn({ client }: Listing, { tree, turn }: Agent): Promise<PastTurn | null> {
  const { turns } = await client.call('loom.turn_list', { tree, limit: TURNS_READ_MAX });
  return turns.find(({ id }) => id === turn) ?? null;
}

function endedAgent(one: Omit<Agent, 'activity' | 'endedAtMs'>, past: PastTurn | null): Agent {
  const { turn, tree, model, task, startedAtMs, tokens, priceMicrodollars } = one;
  return {
    ...{ turn, tree, model, task, startedAtMs, tokens, priceMicrodollars, isRunning: false },
    ...{ isElsewhere: false, isAway: false },
    tip: past?.tip ?? one.tip,
    activity: past === null ? 'ended' : ENDED[past.state],
    endedAtMs: past?.ended_at_ms ?? Date.now(),
  };
}

/** The words for people: a stopped turn was interrupted by a person, or has reached a limit. */
const ENDED: Readonly<Record<PastTurn['state'], string>> = {
  running: 'ended',
  waiting: 'asking',
  done: 'done',
  stopped: 'at a limit',
  interrupted: 'stopped',
  failed: 'failed',
};

function runningAgent(one: Running, tree: TreeId): Agent {
  const { usage, turn, tip, model, activity } = one;
  const input = usage === null ? 0 : usage.tokens_in + usage.tokens_cache_read + usage.tokens_cache_write_5m;
  const tokens = usage === null ? null : { in: input + usage.tokens_cache_write_1h, out: usage.tokens_out };
  const seen = one.seen_at_ms === undefined ? null : `last seen ${formatAge(one.seen_at_ms, Date.now())}`;
  const places = [...(one.by === undefined ? [] : [one.by]), ...(one.tree === tree ? [] : ['another conversation'])];
  const whoseTurn = places.length === 0 ? null : cleanLine(places.join(', '));
  return {
    ...{ turn, tree: one.tree, tip, model, tokens, isRunning: seen === null },
    ...{ isElsewhere: one.by !== undefined, isAway: seen !== null },
    activity: seen ?? activity,
    task: one.parent === null ? whoseTurn : (one.task ?? ''),
    startedAtMs: one.started_at_ms,
    endedAtMs: null,
    priceMicrodollars: one.price_microdollars,
  };
}
