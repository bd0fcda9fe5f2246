import { callEnd } from '../../base/call_end.js';
import { blocksOfType, spokenText } from '../../base/node_blocks.js';
import { STEP_CALLS_MAX } from '../../protocol/limits.js';
import type { Block, NodeId } from '../../protocol/node.js';
import type { Answer } from '../request/answer.js';
import type { Journal } from '../turn/journal.js';
import type { CallUnderWay, RunningTurn } from '../turn/running_turn.js';
import type { Executor } from './executor.js';
import type { CallResult, ModelCall, QuestionDraft } from './model_call.js';

/** How long calls may take to end after a stop; the result of one that takes longer is lost. */
const STOP_MS_MAX = 800;

/** The calls of an answer that are executed, in the model's order. */
export function callsIn(answer: Answer, newId: () => NodeId): ModelCall[] {
  const calls = new Map<string, ModelCall>();
  for (const block of blocksOfType(answer.blocks, 'call')) {
    if (calls.has(block.id)) continue;
    const { id: call, tool, input } = block;
    calls.set(call, { call, id: newId(), tool, input, problem: answer.malformed.get(call) ?? null });
  }
  return withoutExcess([...calls.values()]);
}

/** Calls beyond the limit are not executed and no part of the step; the last call within it says so to the model. */
function withoutExcess(calls: ModelCall[]): ModelCall[] {
  const kept = calls.slice(0, STEP_CALLS_MAX);
  const last = kept.at(-1);
  if (last === undefined || kept.length === calls.length) return kept;
  const problem = `an answer may make ${STEP_CALLS_MAX} calls: neither this one nor the ${calls.length - kept.length} after it were executed`;
  return [...kept.slice(0, -1), { ...last, problem }];
}

export interface StepCalls {
  turn: RunningTurn;
  executor: Executor;
  journal: Journal;
  parent: NodeId;
  calls: readonly ModelCall[];
}

/**
 * Executes the calls of a step and journals the result of each. Neighbouring calls that only read run in parallel, all others
 * alone and in the model's order, so that nothing is read that was to be changed first. When the turn is stopped it returns
 * soon, whatever the calls do. Returns the questions of calls to a person: these have no result.
 */
export async function executeCalls(calling: StepCalls): Promise<QuestionDraft[]> {
  const { turn, executor } = calling;
  const questions = calling.calls.flatMap((call) => executor.asks(call) ?? []);
  const calls = calling.calls.filter(({ call }) => questions.every((question) => question.call !== call));
  turn.activity = 'calling';
  const late = new AbortController();
  const stop = stopDeadline(turn.signal);
  try {
    for (const group of groupsOf(calls, executor)) {
      if (turn.signal.aborted) return questions;
      const work = Promise.all(group.map((call) => executeCall(calling, call, late.signal)));
      work.catch(() => undefined); // when nobody waits for it any more, its failure is nobody's
      const approvals = ((await Promise.race([work, stop.waited])) ?? []).flatMap((drafts) => drafts ?? []);
      // What comes after may need what that was to do.
      if (approvals.length > 0) return [...questions, ...approvals];
    }
    return questions;
  } finally {
    // What comes after this finds its step committed.
    late.abort();
    stop.end();
  }
}

function groupsOf(calls: readonly ModelCall[], executor: Executor): ModelCall[][] {
  const groups: ModelCall[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const looks = executor.runsBeside(call.tool);
    if (looks && isOpen) groups.at(-1)?.push(call);
    else groups.push([call]);
    isOpen = looks;
  }
  return groups;
}

/** Executes a call and journals its result; or returns the approval that it needs first. */
async function executeCall(
  { turn, executor, journal, parent }: StepCalls,
  call: ModelCall,
  late: AbortSignal,
): Promise<QuestionDraft | null> {
  const about = { turn: turn.id, call: call.call, id: call.id };
  const shown = turn.step?.calls.find(({ id }) => id === call.id);
  setState(shown, 'running');
  turn.emit({ kind: 'call_started', ...about, tool: call.tool, input: call.input });
  const result = await resultOf(() =>
    executor.call(call, {
      parent,
      // Also when another call has brought the step to its end: nothing of it runs on.
      signal: AbortSignal.any([turn.signal, late]),
      onOutput: ({ from, offset, data }) => turn.emit({ kind: 'call_output', ...about, from, offset, data }),
    }),
  );
  if (late.aborted) return null;
  if ('error' in result) {
    // A call that was told to end has no result: its step says that it was interrupted.
    if (turn.signal.aborted) return null;
    const approval = executor.needsApproval(call, result.error);
    if (approval === null) throw result.error;
    setState(shown, 'waiting');
    return approval;
  }
  await journal.recordResult(call.call, result);
  setState(shown, 'ended');
  turn.emit({ kind: 'call_ended', ...about, failed: callEnd(result.external).failed, blocks: result.blocks });
  return null;
}

function setState(call: CallUnderWay | undefined, state: CallUnderWay['state']): void {
  if (call !== undefined) call.state = state;
}

function resultOf(work: () => Promise<CallResult>): Promise<CallResult | { error: unknown }> {
  return work().catch((error: unknown) => ({ error }));
}

/** `waited` resolves when the calls of a stopped turn have had their time to end. */
function stopDeadline(signal: AbortSignal): { waited: Promise<void>; end(): void } {
  let end = (): void => undefined;
  const waited = new Promise<void>((resolve) => {
    const wait = (): void => {
      setTimeout(resolve, STOP_MS_MAX).unref();
    };
    signal.addEventListener('abort', wait, { once: true });
    end = () => signal.removeEventListener('abort', wait);
  });
  return { waited, end };
}

const INTERRUPTED: Block = { type: 'text', text: '\n[interrupted]' };

/** The blocks to store of an answer that was cut off; none when a reader would see nothing of it. */
export function interruptedBlocks({ blocks }: Answer): Block[] {
  return blocks.some(isVisible) ? [...blocks, INTERRUPTED] : [];
}

function isVisible(block: Block): boolean {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text.trim() !== '';
    case 'call':
      return true;
    case 'image':
    case 'kept':
      return false; // no model answers with one
  }
}

/** A refused answer is kept as words that are never sent again. */
export function refusedBlocks({ blocks }: Answer): Block[] {
  return blocks.map((block) => {
    const text = spokenText(block);
    return text === null ? block : { type: 'thinking', text, signature: null };
  });
}
