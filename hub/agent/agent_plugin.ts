import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { aborted, onAbort, raceAbort } from '../base/abort.js';
import { detach } from '../base/detach.js';
import { HubError } from '../base/error.js';
import { rpcMethod } from '../base/hint.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { CallContext, Handlers, HubCalls, HubResolve, Plugin } from '../base/plugin.js';
import type { HomePaths } from '../config/config.js';
import { METHODS, type ParsedOf } from '../protocol/methods/method_table.js';
import { Input } from '../protocol/methods/turn_methods.js';
import { NodeId, type Settings, type TreeId, type TurnId } from '../protocol/node.js';
import { type AgentEvent, type SettingsChange, TurnOutcome } from '../protocol/turn.js';
import type { AgentParts } from './agent_parts.js';
import { estimatePath } from './estimate_next_request.js';
import { createEventLogs } from './exports/event_log.js';
import { createTranscripts } from './exports/transcripts.js';
import { jobMethods } from './jobs/job_methods.js';
import { createJobs, type Jobs } from './jobs/jobs.js';
import { formatModelName } from './model/model_names.js';
import { isPending, withPendingKeys } from './model/provider_access.js';
import { modelMethods } from './model_methods.js';
import { priceOf } from './request/spending.js';
import { listInstructions } from './settings/list_instructions.js';
import { planAt } from './settings/project_plan.js';
import { pathSettings, settingsBefore } from './settings/settings.js';
import { refuseNesting } from './settings/sub_session_nesting.js';
import { permissionMethods } from './tools/permission_methods.js';
import { followElsewhere, followTurnsElsewhere, hereOrElsewhere } from './turn/elsewhere.js';
import { listParkedTurns, parkedSnapshot } from './turn/parked_turn.js';
import type { Listener, RunningTurn } from './turn/running_turn.js';
import { chooseModel } from './turn/turn_model.js';
import { createTurns, type RunningTurns } from './turn/turns.js';

export interface AgentPlugin extends Plugin {
  /** The number of running turns. */
  busy(): number;
  /** Ends them in order, before the tools that they use are ended. */
  end(): Promise<void>;
}

interface AgentPluginParts extends Omit<AgentParts, 'jobs'> {
  version: string;
  /** The epoch of this home's feed. */
  epoch: string;
  paths: Pick<HomePaths, 'sessions' | 'logs'>;
}

/** The plugin that runs turns. */
export function createAgent(hub: HubCalls & HubResolve, parts: AgentPluginParts): AgentPlugin {
  const { log, epoch, paths } = parts;
  const transcripts = createTranscripts({ folder: paths.sessions, log });
  const jobs = createJobs(parts.timers.nowMs);
  const turns = createTurns(hub, { ...parts, jobs, transcripts });
  const isRunning = (tree: TreeId): boolean => turns.all().some((turn) => turn.tree === tree);
  const logs = createEventLogs({ hub, folder: paths.logs, epoch, isRunning, log });
  turns.onBegin(logs.follow);
  turns.onWaiting((tree, { kind }) => (kind === 'turn_ended' ? logs.update(tree) : undefined));
  return {
    name: 'agent',
    version: parts.version,
    busy: () => turns.all().length + turns.held.count(),
    async end() {
      await turns.end();
      await jobs.stop(jobs.list(null), 'the end of the hub');
      await logs.end();
    },
    methods: {
      'agent.run': (params, context) => streamTurn(turns.run(params), context, { stops: true }),
      'agent.compact': (params, context) => streamTurn(turns.compact(params), context, { stops: true }),
      'agent.estimate': (params, context) => estimatePath({ hub, context }, params, parts),
      'agent.check': async ({ node, access, change, usual_model: usual }, context) => {
        const previous = node === null ? null : await previousSettings({ hub, context }, node, change);
        if (node !== null) await refuseNestingAt({ hub, context }, node, change);
        return chosenBy({ previous, change, usual, access });
      },
      'agent.instructions_list': async (params, context) => listInstructions({ hub, context }, params),
      'agent.plan_get': async ({ node }, context) => planAt({ hub, context }, node),
      'agent.follow': async ({ turn, tree }, context) => {
        if (turn !== null) return { outcome: await followTurn(turns, turn, { hub, context }) };
        const within = (one: TreeId): boolean => tree === null || one === tree;
        // What the hub calls by itself asks for its own turns.
        const isPerson = context.caller.kind === 'client';
        if (isPerson) detach(followTurnsElsewhere({ hub, context }, tree), () => undefined); // the call is over
        await followAll({ turns, jobs }, within, context);
        return { outcome: null };
      },
      ...spokenTo(turns, hub),
      'agent.status': (params, context) => statusIn(turns, params, { hub, context }),
      ...jobMethods(hub, jobs),
      ...permissionMethods(hub),
      ...keyMethods(turns),
      ...modelMethods(parts),
    },
  };
}

const STOPPED = METHODS['agent.stop'].result;

/** The methods by which people say something to a turn, here or in the hub that has it. */
function spokenTo(turns: RunningTurns, hub: HubCalls & HubResolve) {
  const stop = async (id: TurnId) => {
    const turn = turns.get(id);
    turn?.stop('asked');
    const outcome = await turn?.outcome;
    if (outcome !== undefined && outcome.state !== 'waiting') return { stopped: true, outcome };
    const ended = await turns.endParked(id);
    return { stopped: ended !== null, outcome: ended ?? (await pastOf(turns, id)) };
  };
  return {
    'agent.stop': async ({ turn }, context) =>
      hereOrElsewhere(
        { hub, context },
        { turn, message: { kind: 'stop' } },
        { here: () => stop(turn), read: STOPPED.parse },
      ),
    'agent.answer': async (params, context) => {
      const { turn, call, answer } = params;
      const here = async (): Promise<TurnOutcome> => {
        const answered = await turns.answer(params);
        return 'outcome' in answered ? streamTurn(answered, context, { stops: true }) : answered;
      };
      const message = { kind: 'answer' as const, call, answer };
      const outcome = await hereOrElsewhere({ hub, context }, { turn, message }, { here, read: TurnOutcome.parse });
      // Only one of another hub is told of while it goes on.
      return outcome.state === 'running' ? ((await followElsewhere({ hub, context }, turn)) ?? outcome) : outcome;
    },
    'agent.answer_from_elsewhere': async ({ turn, call, answer }, context) => {
      const brought =
        turns.brought(turn) ?? METHODS['agent.answer'].params.parse({ turn, call, answer, cwd: tmpdir() });
      const answered = await turns.answer({ ...brought, turn, call, answer }).catch(withoutKey);
      return 'outcome' in answered ? streamTurn(answered, context, { stops: false }) : answered;
    },
    'agent.steer': async (params, context) => {
      const { turn, blocks, kind: when, id = NodeId.parse(randomUUID()) } = params;
      const here = () => callHub({ hub, context }, 'loom.input_add', { ...params, id });
      const message = { kind: 'say' as const, id, blocks, when };
      return hereOrElsewhere({ hub, context }, { turn, message }, { here, read: Input.parse });
    },
  } satisfies Handlers;
}

/** Who answers from another machine has no key that this one could use. */
function withoutKey(error: unknown): never {
  if (!(error instanceof HubError) || error.kind !== 'no_key') throw error;
  throw new HubError(
    'no_key',
    'its hub was started again since it asked, and has no key any more: it is answered there',
    {
      cause: error,
    },
  );
}

/** The turns that run, and those that wait for a person; those of other hubs come last. */
async function statusIn(turns: RunningTurns, { tree }: ParsedOf<'agent.status'>, reach: InternalCaller) {
  const parked = await listParkedTurns(reach, tree);
  const running = turns.all().filter((turn) => tree === null || turn.tree === tree);
  const waiting = parked.filter(({ turn }) => turns.get(turn) === null);
  const elsewhere = await callHub(reach, 'sharing.turn_list', { tree });
  const own = [...running.map(statusOf), ...waiting.map((one) => ({ ...one, ...agentOf(turns, one) }))];
  return { turns: [...own, ...elsewhere.turns] };
}

/** The agent of a turn that has no model. */
function agentOf({ held }: RunningTurns, { turn }: { turn: TurnId }): Partial<Pick<RunningTurn, 'model' | 'level'>> {
  const work = held.get(turn);
  return work === null ? {} : { model: work.turn.model, level: work.turn.level };
}

function keyMethods(turns: RunningTurns) {
  return {
    'agent.key_give': async ({ turn, provider, key }) => {
      turns.get(turn)?.keys.give(provider, key);
      return {};
    },
  } satisfies Handlers;
}

/** The model that a turn would ask, and the provider whose key its caller still has to get. */
function chosenBy(choice: Parameters<typeof chooseModel>[0]): { model: string; key_pending: string | null } {
  const { access } = choice;
  const { model } = chooseModel({ ...choice, access: withPendingKeys(access) });
  return { model: formatModelName(model), key_pending: isPending(access[model.provider]) ? model.provider : null };
}

/** The settings of the next turn at a node. */
async function previousSettings(
  reach: InternalCaller,
  node: NodeId,
  change: SettingsChange | null,
): Promise<Settings | null> {
  const { node: found } = await callHub(reach, 'loom.node_get', { node, tree: null });
  return settingsBefore(reach, { tree: found.tree, current: await pathSettings(reach, node), change });
}

/** Refuses what a turn at this node would refuse, before a message is added there. */
async function refuseNestingAt(reach: InternalCaller, at: NodeId, change: SettingsChange | null): Promise<void> {
  const { node } = await callHub(reach, 'loom.node_get', { node: at, tree: null });
  const { owner } = await callHub(reach, 'loom.tree_get', { tree: node.tree });
  await refuseNesting(reach, owner, change);
}

/** Streams the events of a turn to a caller until it has ended. With `stops`, cancelling the call stops the turn. */
async function streamTurn(
  turn: RunningTurn,
  context: CallContext,
  { stops }: { stops: boolean },
): Promise<TurnOutcome> {
  const unfollow = turn.follow(listenerOf(context));
  const stopListening = stops ? onAbort(context.signal, () => turn.stop('asked')) : () => undefined;
  try {
    return await turn.outcome;
  } finally {
    stopListening();
    unfollow();
  }
}

function listenerOf(context: CallContext): Listener {
  return { emit: (event: AgentEvent) => context.emit(event), hasRoom: () => context.hasRoom() };
}

async function followTurn(turns: RunningTurns, id: TurnId, { hub, context }: InternalCaller): Promise<TurnOutcome> {
  const turn = turns.get(id);
  if (turn === null) {
    const past = (await turns.past(id)) ?? (await followElsewhere({ hub, context }, id));
    if (past === null) throw noTurn(id);
    const snapshot = past.state === 'waiting' ? await parkedSnapshot({ hub, context }, id) : null;
    if (snapshot !== null) context.emit(snapshot);
    return past;
  }
  const outcome = streamTurn(turn, context, { stops: false });
  return raceAbort(outcome, context.signal, () => new HubError('cancelled', `following the turn ${id} was given up`));
}

async function followAll(
  { turns, jobs }: { turns: RunningTurns; jobs: Jobs },
  within: (tree: TreeId) => boolean,
  context: CallContext,
): Promise<void> {
  const listener = listenerOf(context);
  const unfollows = new Map<RunningTurn, () => void>();
  const follow = (turn: RunningTurn): void => {
    if (!within(turn.tree)) return;
    unfollows.set(turn, turn.follow(listener));
    const forget = (): void => void unfollows.delete(turn);
    // How the turn ends is for those who began it.
    detach(turn.outcome.finally(forget), () => undefined);
  };
  for (const turn of turns.all()) follow(turn);
  for (const event of jobs.now()) if (within(event.tree)) listener.emit(event);
  const ends = [
    jobs.onChange((event) => {
      if (within(event.tree)) listener.emit(event);
    }),
    turns.onBegin(follow),
    turns.onWaiting((tree, event) => {
      if (within(tree)) listener.emit(event);
    }),
  ];
  await aborted(context.signal);
  for (const end of ends) end();
  for (const unfollow of unfollows.values()) unfollow();
}

async function pastOf(turns: RunningTurns, id: TurnId): Promise<TurnOutcome> {
  const past = await turns.past(id);
  if (past !== null) return past;
  throw noTurn(id);
}

function noTurn(id: TurnId): HubError {
  return new HubError('not_found', `there is no turn ${id}`, {
    hint: ['list those of a tree: ', rpcMethod('loom.turn_list')],
  });
}

function statusOf(turn: RunningTurn) {
  const { id, tree, node, tip, model, level, activity, startedAtMs, errand, spending } = turn;
  const { iterations, usage } = spending;
  return {
    ...{ turn: id, tree, node, tip, model, level, activity, iterations, usage, started_at_ms: startedAtMs },
    price_microdollars: priceOf(spending),
    ...{ parent: errand?.parent ?? null, task: errand?.task ?? null, questions: [] },
  };
}
