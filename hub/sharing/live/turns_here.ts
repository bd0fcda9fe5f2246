import { detach, neverFails } from '../../base/detach.js';
import { callHub, ownContext } from '../../base/internal_call.js';
import type { HubCalls, HubResolve, Log } from '../../base/plugin.js';
import type { LeasedTurn } from '../../protocol/methods/live_methods.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { TurnId } from '../../protocol/node.js';
import { AgentEvent, type TurnOutcome } from '../../protocol/turn.js';

type RunningTurn = ResultOf<'agent.status'>['turns'][number];

/** After these a turn is another than before for those who watch it from elsewhere. */
const CHANGES: ReadonlySet<string> = new Set<AgentEvent['kind']>([
  ...(['turn_started', 'turn_snapshot', 'turn_resumed', 'turn_parked', 'turn_ended'] as const),
  ...(['step_committed', 'question_asked', 'question_answered', 'model_replaced'] as const),
]);

/** Tells which turns this hub has, now and whenever that changes, until the signal aborts. Returns what tells it once more. */
export function followOwnTurns(
  { hub, log }: { hub: HubCalls & HubResolve; log: Log },
  signal: AbortSignal,
  tell: (turns: LeasedTurn[]) => void,
): () => Promise<void> {
  const context = ownContext(signal, (event) => {
    if (!('kind' in event) || !CHANGES.has(String(event.kind))) return;
    const told = AgentEvent.safeParse(event).data;
    if (told !== undefined) note(ended, told);
    detach(again(), neverFails);
  });
  const reach = { hub, context };
  // A turn is listed as one that runs for a moment after its end was told.
  const ended = new Map<TurnId, TurnOutcome>();
  const known = new Map<TurnId, LeasedTurn>();
  let [isReading, isDue] = [false, false];
  let reading = Promise.resolve();
  const failed = (error: unknown): void => (signal.aborted ? undefined : log('warn', `own turns: ${String(error)}`));
  async function read(): Promise<void> {
    isDue = false;
    const { turns } = await callHub(reach, 'agent.status', { tree: null });
    const now = turns.filter(({ by }) => by === undefined).map((turn) => leased(turn, ended.get(turn.turn)));
    const over = [...ended].filter(([id]) => !now.some(({ turn }) => turn === id));
    for (const [id] of over) ended.delete(id);
    tell([...now, ...over.flatMap(([id, outcome]) => endedTurn(known.get(id), outcome))]);
    known.clear();
    for (const turn of now) known.set(turn.turn, turn);
  }
  async function readAll(): Promise<void> {
    isReading = true;
    while (isDue) await read().catch(failed);
    isReading = false;
  }
  function again(): Promise<void> {
    isDue = true;
    if (!isReading) reading = readAll();
    return reading;
  }
  detach(callHub(reach, 'agent.follow', { turn: null, tree: null, stream: 'own turns' }), failed);
  detach(again(), neverFails);
  return again;
}

function note(ended: Map<TurnId, TurnOutcome>, event: AgentEvent): void {
  if (event.kind === 'turn_ended' || event.kind === 'turn_parked') ended.set(event.turn, event.outcome);
  if (event.kind === 'turn_started' || event.kind === 'turn_resumed') ended.delete(event.turn);
}

function leased(status: RunningTurn, outcome: TurnOutcome | undefined): LeasedTurn {
  const { turn, tree, node, tip, model, level, started_at_ms, questions, activity } = status;
  const facts = { turn, tree, node, tip, model, level, started_at_ms, questions };
  if (activity === 'asking') return { ...facts, state: 'waiting' };
  return outcome === undefined ? { ...facts, state: 'running' } : withOutcome(facts, outcome);
}

function endedTurn(known: LeasedTurn | undefined, outcome: TurnOutcome): LeasedTurn[] {
  return known === undefined ? [] : [withOutcome(known, outcome)];
}

function withOutcome(turn: Omit<LeasedTurn, 'state'>, { state, why, tip, questions }: TurnOutcome): LeasedTurn {
  if (state === 'waiting') return { ...turn, tip, questions, state };
  return { ...turn, tip, questions: [], state: 'ended', end: { state, why } };
}
