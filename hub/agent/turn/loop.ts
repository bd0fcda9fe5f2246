import type { HubError } from '../../base/error.js';
import { callHub } from '../../base/internal_call.js';
import type { Block, Node, NodeId } from '../../protocol/node.js';
import type { TurnReason } from '../../protocol/turn.js';
import { makeRoom, makeRoomAfterRefusal, mayHelp, rememberCounted } from '../compaction/window_room.js';
import type { Answer } from '../request/answer.js';
import type { ModelReply } from '../request/ask_with_retries.js';
import { requestFor, type Sending, sendRequest } from '../request/send_request.js';
import { limitReached } from '../request/spending.js';
import { callsIn, executeCalls, interruptedBlocks, refusedBlocks } from '../tools/execute_calls.js';
import type { ModelCall, QuestionDraft } from '../tools/model_call.js';
import { takeFallback } from './fallback_model.js';
import type { StepRecord } from './journal.js';
import { newStep, type RunningTurn } from './running_turn.js';
import type { TurnEnd, TurnParking, TurnWork } from './turn_work.js';

/** Steps until the model has answered, a limit is reached, or somebody stops it. */
export async function runSteps(work: TurnWork): Promise<TurnEnd | TurnParking> {
  const { turn, limits } = work;
  for (;;) {
    const stopped = stopEnd(turn);
    if (stopped !== null) return stopped;
    const reached = limitReached(turn.spending, limits);
    if (reached !== null) return turnEnd('stopped', reached);
    const room = await makeRoom(work);
    // What that cost counts, too.
    if (room === 'made') continue;
    if (room !== 'enough') return stopEnd(turn) ?? failedEnd(room);
    const end = await takeStep(work);
    if (end !== null) return end;
  }
}

/** Finishes a step that waited for a person, then takes further steps. */
export async function resumeSteps(work: TurnWork, calls: readonly ModelCall[]): Promise<TurnEnd | TurnParking> {
  return (await finishStep(work, calls)) ?? runSteps(work);
}

/** Sends one request and makes a step of its answer; null when the turn goes on. */
async function takeStep(work: TurnWork): Promise<TurnEnd | TurnParking | null> {
  const { turn } = work;
  const id = work.newNodeId();
  turn.step = newStep(id);
  const counted: Promise<void>[] = [];
  const sent = work.path.length;
  const reply = await askWithFallback(work, { node: id, counted, isStreamed: true });
  turn.spending.iterations += 1;
  const isRoomMade = mayHelp(work, reply) && (await makeRoomAfterRefusal(work)) === null;
  const end = isRoomMade ? null : await handleReply(work, id, reply);
  if (!isRoomMade) rememberCounted(work, reply, sent);
  // What was spent decides whether there is another request.
  await Promise.all(counted);
  return end;
}

/** Asks, and where the model stays overloaded asks the one that was named for that. */
async function askWithFallback(work: TurnWork, sending: Omit<Sending, 'request'>): Promise<ModelReply> {
  const reply = await askAsAccepted(work, sending);
  if (!(await takeFallback(work, reply.failure))) return reply;
  if (reply.answer.blocks.length > 0) work.turn.emit({ kind: 'answer_restarted', turn: work.turn.id, attempt: 1 });
  return askAsAccepted(work, sending);
}

/** Asks, and again without what the server refuses whenever it is sent: the rest of the turn goes without that. */
async function askAsAccepted(work: TurnWork, sending: Omit<Sending, 'request'>): Promise<ModelReply> {
  for (;;) {
    const reply = await sendRequest(work, { ...sending, request: requestFor(work) });
    if (reply.failure === null || reply.answer.blocks.length > 0 || !leaveOut(work, reply.failure)) return reply;
  }
}

/** Leaves out what a server has refused for good; false where that is nothing that it was sent. */
function leaveOut(work: TurnWork, { details, message }: HubError): boolean {
  switch (details.reason) {
    case 'thinking':
      // Another account's key is given, or the conversation was imported.
      if (work.bindings.size === 0) return false;
      work.bindings.clear();
      return true;
    case 'image':
      if (!work.sendsImages) return false;
      work.sendsImages = false;
      work.turn.emit({ kind: 'images_left_out', turn: work.turn.id, message });
      return true;
    default:
      return false;
  }
}

export function failedEnd(failure: HubError): TurnEnd {
  return { state: 'failed', why: 'failed', failure };
}

function turnEnd(state: TurnEnd['state'], why: TurnReason): TurnEnd {
  return { state, why, failure: null };
}

/** How a turn ends when it was asked to: `stopped` by a time limit, otherwise `interrupted`; null when nobody asked. */
export function stopEnd(turn: RunningTurn): TurnEnd | null {
  const why = turn.stoppedBy();
  return why === null ? null : turnEnd(why === 'time' ? 'stopped' : 'interrupted', why);
}

/** Makes a step of the model's reply; null when the turn goes on. */
async function handleReply(
  work: TurnWork,
  id: NodeId,
  { answer, failure }: ModelReply,
): Promise<TurnEnd | TurnParking | null> {
  if (failure !== null) {
    await commitWithoutCalls(work, id, interruptedBlocks(answer));
    return stopEnd(work.turn) ?? failedEnd(failure);
  }
  switch (answer.end) {
    case 'refused':
      await commitWithoutCalls(work, id, refusedBlocks(answer));
      return turnEnd('stopped', 'refused');
    case 'max_tokens':
    case 'context_too_long':
      // Its last call may be cut off, and the others may only have made sense together with that.
      await commitWithoutCalls(work, id, answer.blocks);
      return turnEnd('stopped', answer.end);
    case 'paused':
      // It stands at the end of the next request, which it goes on from.
      await commitWithoutCalls(work, id, answer.blocks);
      return null;
    case 'empty':
    case null:
      await commitWithoutCalls(work, id, answer.blocks);
      return turnEnd('stopped', 'empty');
    case 'answered':
    case 'calls':
      return handleAnswer(work, id, answer);
  }
}

async function handleAnswer(work: TurnWork, id: NodeId, answer: Answer): Promise<TurnEnd | TurnParking | null> {
  const calls = callsIn(answer, work.newNodeId);
  if (calls.length === 0) {
    await commitWithoutCalls(work, id, answer.blocks);
    return (await takeInputs(work, ['steer', 'after'])) ? null : turnEnd('done', 'answered');
  }
  await work.journal.recordAnswer({ ...recordOf(work, id, answer.blocks), calls });
  return finishStep(work, calls);
}

/** Executes the calls of a step that have no result yet, and commits it, unless some of them ask a person. */
async function finishStep(work: TurnWork, calls: readonly ModelCall[]): Promise<TurnParking | null> {
  const { turn, journal, executor } = work;
  const parent = turn.tip;
  if (turn.step !== null) {
    turn.step.calls = calls.map(({ call, id, tool, input }) => ({ call, id, tool, input, state: 'waiting' }));
  }
  let questions: QuestionDraft[] = [];
  try {
    questions = await executeCalls({ turn, executor, journal, parent, calls });
    if (turn.signal.aborted) questions = [];
  } finally {
    if (questions.length === 0) {
      takeCommitted(work, await journal.commit());
      work.watch.stepEnded(turn.tip);
    }
  }
  if (questions.length > 0) return { state: 'parked', questions: await journal.park(questions) };
  if (!turn.signal.aborted) await takeInputs(work, ['steer']);
  return null;
}

function recordOf({ turn, settings }: TurnWork, id: NodeId, blocks: Block[]): StepRecord {
  return { parent: turn.tip, id, blocks, settings: settings.sha256, calls: [] };
}

/** Commits an answer whose calls, if it has any, are not executed. */
async function commitWithoutCalls(work: TurnWork, id: NodeId, blocks: Block[]): Promise<void> {
  if (blocks.length === 0) return;
  takeCommitted(work, await work.journal.commitAnswer(recordOf(work, id, blocks)));
}

function takeCommitted({ turn, path }: TurnWork, nodes: Node[]): void {
  path.push(...nodes);
  turn.tip = nodes.at(-1)?.id ?? turn.tip;
  turn.step = null;
  turn.emit({ kind: 'step_committed', turn: turn.id, nodes: nodes.map(({ id }) => id), tip: turn.tip });
}

/** Makes user nodes of the inputs that people sent meanwhile; true when there were any. */
async function takeInputs({ reach, turn, path }: TurnWork, kinds: readonly ('steer' | 'after')[]): Promise<boolean> {
  const { inputs } = await callHub(reach, 'loom.turn_get', { turn: turn.id });
  const wanted = inputs.filter(({ kind }) => kinds.includes(kind));
  for (const { id: input } of wanted) {
    const { node } = await callHub(reach, 'loom.input_take', { turn: turn.id, input, parent: turn.tip });
    path.push(node);
    turn.tip = node.id;
    turn.emit({ kind: 'input_taken', turn: turn.id, input, tip: turn.tip });
  }
  return wanted.length > 0;
}
