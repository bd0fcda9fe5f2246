import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { textOf } from '../../base/node_blocks.js';
import type { NodeId, TurnId } from '../../protocol/node.js';
import type { TurnOutcome } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import { priceOf, timeLimitMs } from '../request/spending.js';
import { isSummaryOf } from './compaction_turn.js';
import { parkedOutcome } from './parked_turn.js';
import type { RunningTurn } from './running_turn.js';
import type { TurnEnd, TurnParking, TurnWork } from './turn_work.js';

/** The outcome of a turn that has ended or is parked; null when there is none of this id. */
export async function pastOutcome(reach: InternalCaller, id: TurnId): Promise<TurnOutcome | null> {
  const found = await callHub(reach, 'loom.turn_get', { turn: id }).catch((error: unknown) => {
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  });
  if (found === null) return null;
  if (found.parked !== null) return parkedOutcome(reach, found);
  const { turn } = found;
  const { node } = await callHub(reach, 'loom.node_get', { node: turn.tip, tree: null });
  return {
    ...{ turn: turn.id, tree: turn.tree, state: turn.state, why: null, failure: null, tip: turn.tip },
    text: turn.tip === turn.node || node.role !== 'assistant' ? '' : textOf(node.blocks),
    ...{ usage: null, price_microdollars: null, questions: [] },
  };
}

export type OpenTurn = Pick<TurnWork, 'turn' | 'reach' | 'path' | 'limits'>;

/** Runs a turn that is open until it is closed, whatever happens. */
export async function runToEnd(
  work: OpenTurn,
  parts: AgentParts,
  run: () => Promise<TurnEnd | TurnParking>,
): Promise<TurnOutcome> {
  const { turn, reach, path } = work;
  const before = path.reduce((most, { seq }) => Math.max(most, seq), 0);
  const stopTimer = parts.timers.startTimer(timeLimitMs(work.limits), () => turn.stop('time'));
  let end: TurnEnd | TurnParking;
  try {
    end = await run();
  } catch (error) {
    end = { state: 'failed', why: 'failed', failure: failureFrom(error, parts) };
  } finally {
    stopTimer();
  }
  if (end.state === 'parked') return emitParked(work, end);
  turn.activity = 'ending';
  turn.step = null;
  const { tip } = await callHub(reach, 'loom.turn_end', { turn: turn.id, state: end.state });
  turn.tip = await storeLateInputs(work, tip);
  const outcome = outcomeOf(work, end, before);
  turn.emit({ kind: 'turn_ended', turn: turn.id, outcome });
  return outcome;
}

function failureFrom(error: unknown, { log }: AgentParts): HubError {
  if (error instanceof HubError) return error;
  // Not its message, which may repeat what it was given.
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
  const name = error instanceof Error ? error.name : typeof error;
  log('error', `a turn failed unexpectedly: ${[name, ...frames.slice(0, 10)].join('\n')}`);
  return new HubError('internal', 'the turn failed unexpectedly', {
    hint: ['the reason is in the log: ', cliCommand('hub logs')],
    cause: error,
  });
}

/**
 * What people said must not be lost when a turn ends before it has taken that: it becomes messages below the end, which the
 * next turn answers.
 */
export async function storeLateInputs(
  { reach, turn }: { reach: InternalCaller; turn: Pick<RunningTurn, 'id' | 'tree'> },
  end: NodeId,
): Promise<NodeId> {
  const { inputs } = await callHub(reach, 'loom.turn_get', { turn: turn.id });
  if (inputs.length === 0) return end;
  let tip = end;
  for (const { id, blocks } of inputs) {
    const message = { id, tree: turn.tree, parent: tip, role: 'user' as const, blocks, settings: null, turn: turn.id };
    tip = (await callHub(reach, 'loom.node_create_text', message)).node.id;
  }
  // Only now: whatever happens meanwhile, what was said is somewhere.
  await callHub(reach, 'loom.input_drop', { turn: turn.id, inputs: inputs.map(({ id }) => id) });
  return tip;
}

function outcomeOf({ turn, path }: OpenTurn, { state, why, failure }: TurnEnd, before: number): TurnOutcome {
  // Nodes that were there before have lower numbers; a path may be a summary by now.
  const own = path.filter(({ seq }) => seq > before);
  const last = own.findLastIndex(({ id, role }) => role === 'assistant' || isSummaryOf(turn.id, id));
  // An answer that paused goes on in the next node.
  const first = own.findLastIndex(({ role }, at) => at < last && role !== 'assistant') + 1;
  const said = own.slice(own[last]?.role === 'assistant' ? first : last, last + 1);
  return {
    ...{ turn: turn.id, tree: turn.tree, state, why, tip: turn.tip },
    failure: failure === null ? null : { message: failure.message, data: failure.data },
    text: said.map(({ blocks }) => textOf(blocks)).join(''),
    ...{ usage: turn.spending.usage, price_microdollars: priceOf(turn.spending), questions: [] },
  };
}

/** Reports that a turn is parked: everything of it is on the disk. */
function emitParked(work: OpenTurn, { questions }: TurnParking): TurnOutcome {
  const { turn } = work;
  const said = textOf(turn.step?.answer.blocks ?? []);
  const outcome = { ...outcomeOf(work, PARKED, 0), state: 'waiting' as const, text: said, questions };
  for (const { call, id, question, options, kind: asks } of questions) {
    turn.emit({ kind: 'question_asked', turn: turn.id, call, id, question, options, asks });
  }
  turn.emit({ kind: 'turn_parked', turn: turn.id, outcome });
  return outcome;
}

const PARKED: TurnEnd = { state: 'stopped', why: 'question', failure: null };
