import { sentNodes, settingsOf } from '../context/model.js';
import { asked, type Reach } from '../context/reach.js';
import { HubError } from '../error.js';
import type { CallContext, HubCalls, HubResolve, Plugin } from '../plugin.js';
import type { NodeId, Settings, TurnId } from '../protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../protocol/turn.js';
import { type AgentParts, chooseModel } from './beginning.js';
import { ALIAS_NAMES, formatModelName, PROVIDER_NAMES, parseModelName } from './models.js';
import { needsKey } from './reaching.js';
import type { Listener, RunningTurn } from './running.js';
import { firstSettings } from './settings.js';
import { createTurns, type RunningTurns } from './turns.js';

export interface AgentPlugin extends Plugin {
  /** RunningTurns that run. */
  busy(): number;
  /** Ends them in order, before the tools that they use are ended. */
  end(): Promise<void>;
}

/** Lets models work in trees. */
export function createAgent(hub: HubCalls & HubResolve, parts: AgentParts & { version: string }): AgentPlugin {
  const turns = createTurns(hub, parts);
  return {
    name: 'agent',
    version: parts.version,
    busy: () => turns.all().length,
    end: turns.end,
    methods: {
      'agent.run': (params, context) => watched(turns.run(params), context, { stops: true }),
      'agent.check': async ({ node, access, change, usual_model: usual }, context) => {
        const known = node === null ? null : await knownSettings({ hub, context }, node);
        return { model: formatModelName(chooseModel({ known, change, usual, access }).model) };
      },
      'agent.follow': async ({ turn, tree }, context) => {
        if (turn !== null) return { outcome: await followTurn(turns, turn, context) };
        const within = (one: RunningTurn): boolean => tree === null || one.tree === tree;
        await followAll(turns, within, context);
        return { outcome: null };
      },
      'agent.stop': async ({ turn: id }) => {
        const turn = turns.get(id);
        if (turn === null) return { stopped: false, outcome: await pastOf(turns, id) };
        turn.stop('asked');
        return { stopped: true, outcome: await turn.outcome };
      },
      'agent.steer': async (params, context) => asked({ hub, context }, 'loom.input_add', params),
      'agent.status': async ({ tree }) => ({
        turns: turns.all().flatMap((turn) => (tree === null || turn.tree === tree ? [statusOf(turn)] : [])),
      }),
      'agent.providers': async () => ({
        providers: PROVIDER_NAMES.map((name) => ({ name, needs_key: needsKey(name) })),
        aliases: ALIAS_NAMES.map((name) => ({ name, model: formatModelName(parseModelName(name)) })),
      }),
    },
  };
}

/** The settings that a turn at a node would go on with. */
async function knownSettings(reach: Reach, node: NodeId): Promise<Settings | null> {
  const [path, found] = await Promise.all([
    sentNodes(reach, node),
    asked(reach, 'loom.node_get', { node, tree: null }),
  ]);
  return (await settingsOf(reach, path)).current ?? firstSettings(reach, found.node.tree);
}

/** Tells a caller what happens in a turn until it has ended; when the call itself is cancelled, so is the turn. */
async function watched(turn: RunningTurn, context: CallContext, { stops }: { stops: boolean }): Promise<TurnOutcome> {
  const unfollow = turn.follow(listenerOf(context));
  const cancel = (): void => turn.stop('asked');
  if (stops) context.signal.addEventListener('abort', cancel, { once: true });
  try {
    return await turn.outcome;
  } finally {
    context.signal.removeEventListener('abort', cancel);
    unfollow();
  }
}

function listenerOf(context: CallContext): Listener {
  return { emit: (event: AgentEvent) => context.emit(event), hasRoom: () => context.hasRoom() };
}

async function followTurn(turns: RunningTurns, id: TurnId, context: CallContext): Promise<TurnOutcome> {
  const turn = turns.get(id);
  if (turn === null) return pastOf(turns, id);
  const outcome = watched(turn, context, { stops: false });
  const gone = aborted(context.signal).then(() => {
    throw new HubError('cancelled', `following the turn ${id} was given up`);
  });
  return Promise.race([outcome, gone]);
}

async function followAll(
  turns: RunningTurns,
  within: (turn: RunningTurn) => boolean,
  context: CallContext,
): Promise<void> {
  const listener = listenerOf(context);
  const unfollows = new Map<RunningTurn, () => void>();
  const follow = (turn: RunningTurn): void => {
    if (!within(turn)) return;
    unfollows.set(turn, turn.follow(listener));
    const forget = (): void => void unfollows.delete(turn);
    turn.outcome.then(forget, forget);
  };
  for (const turn of turns.all()) follow(turn);
  const end = turns.onBegin(follow);
  await aborted(context.signal);
  end();
  for (const unfollow of unfollows.values()) unfollow();
}

async function pastOf(turns: RunningTurns, id: TurnId): Promise<TurnOutcome> {
  const past = await turns.past(id);
  if (past !== null) return past;
  throw new HubError('not_found', `there is no turn ${id}`, { hint: 'list those of a tree: loom.turn_list' });
}

function statusOf(turn: RunningTurn) {
  const { id, tree, node, tip, model, level, activity, startedAtMs, spending } = turn;
  const { iterations, usage, price } = spending;
  return {
    ...{ turn: id, tree, node, tip, model, level, activity, iterations, usage, started_at_ms: startedAtMs },
    price_microdollars: usage === null ? null : price,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
