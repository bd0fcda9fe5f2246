import { textOf } from '../../hub/base/node_blocks.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import { cleanPiece, cleanRest, overwritten } from '../render/text/clean.js';
import { type BlockChange, type CallOutcome, type DisplayCall, nodeBlocks, thinkingIn } from './block.js';
import { decodePiece, NO_OUTPUT, type OpenOutput } from './decode_output.js';
import { hasId, type RecentIds, withId } from './recent_ids.js';

/** What is displayed of a tree: what the hub sends twice, as events and as nodes, is displayed once. */
export interface DisplayState {
  /** The last node on display: what follows it is displayed. Null where only events of a turn come. */
  readonly tip: NodeId | null;
  /** Nodes that were displayed whole. */
  readonly seen: RecentIds;
  /** Committed nodes that have not come yet. */
  readonly expected: ReadonlySet<NodeId>;
  /** The node of the answer asked for last. */
  readonly step: NodeId | null;
  /** The answer under way; null between answers. */
  readonly open: { readonly id: NodeId; readonly thinking: string; readonly answer: string } | null;
  readonly calls: ReadonlyMap<NodeId, OpenCall>;
}

interface OpenCall {
  block: DisplayCall;
  output: OpenOutput;
}

export type DisplayAction =
  | { kind: 'event'; event: AgentEvent }
  /** `hub` is a message of the hub itself to the model, which is no block. */
  | { kind: 'node'; node: Node; by: 'us' | 'others' | 'hub' }
  /** A command of the person's own. */
  | { kind: 'command_started'; id: NodeId; command: string }
  | { kind: 'command_printed'; id: NodeId; text: string }
  | { kind: 'command_ended'; id: NodeId; outcome: CallOutcome }
  /** The turn is over, and how its calls ended will not be told. */
  | { kind: 'turn_lost' }
  /** The person goes to another node: what is there has been seen. */
  | { kind: 'moved'; tip: NodeId }
  | { kind: 'nodes_seen'; ids: readonly NodeId[] };

export const UNKNOWN_OUTCOME: CallOutcome = {
  ...{ failed: true, text: '', remark: 'how it ended is not known', durationMs: null, stored: null },
};

const PRINTED_LENGTH_MAX = 8_192;

export function newDisplay(tip: NodeId | null): DisplayState {
  return {
    tip,
    seen: tip === null ? [] : withId([], tip),
    expected: new Set(),
    step: null,
    open: null,
    calls: new Map(),
  };
}

/** Whether a node belongs to what is on display. */
export function isOnDisplay({ expected, tip, open }: DisplayState, node: Node): boolean {
  return expected.has(node.id) || (node.parent !== null && node.parent === tip) || open?.id === node.id;
}

export function isSeen({ seen }: DisplayState, node: NodeId): boolean {
  return hasId(seen, node);
}

/** The state after an action, and what has changed by it. Pure: the same state and action give the same result. */
export function reduce(
  state: DisplayState,
  action: DisplayAction,
): { state: DisplayState; changes: readonly BlockChange[] } {
  const draft: Draft = { ...state, calls: new Map(state.calls), changes: [] };
  apply(draft, action);
  const { changes, ...next } = draft;
  return { state: next, changes };
}

/** The state while one action is applied. */
type Draft = { -readonly [Key in keyof DisplayState]: DisplayState[Key] } & {
  calls: Map<NodeId, OpenCall>;
  changes: BlockChange[];
};

function apply(draft: Draft, action: DisplayAction): void {
  switch (action.kind) {
    case 'event':
      takeEvent(draft, action.event);
      break;
    case 'node':
      takeNode(draft, action.node, action.by);
      break;
    case 'command_started':
      startCall(draft, { id: action.id, tool: 'bash', input: { command: action.command }, by: 'person' });
      break;
    case 'command_printed':
      printCall(draft, action.id, action.text);
      break;
    case 'command_ended':
      endCall(draft, action.id, action.outcome);
      break;
    case 'turn_lost':
      for (const { block } of draft.calls.values()) {
        if (block.by === 'model' && !draft.expected.has(block.id)) endCall(draft, block.id, UNKNOWN_OUTCOME);
      }
      break;
    case 'moved':
      Object.assign(draft, { ...newDisplay(action.tip), seen: withId(draft.seen, action.tip) });
      break;
    case 'nodes_seen':
      for (const id of action.ids) draft.seen = withId(draft.seen, id);
  }
}

function takeEvent(draft: Draft, event: AgentEvent): void {
  switch (event.kind) {
    case 'request_started':
      if (draft.open?.id === event.node) restart(draft);
      else endAnswer(draft);
      openAnswer(draft, event.node);
      break;
    case 'text_added':
      grow(draft, 'answer', event.text);
      break;
    case 'thinking_added':
      grow(draft, 'thinking', event.text);
      break;
    case 'answer_restarted':
      restart(draft);
      break;
    case 'turn_snapshot':
      if (event.step !== null) takeStep(draft, event.step);
      break;
    case 'call_started':
      startCall(draft, { ...event, by: 'model' });
      break;
    case 'question_asked':
      if (draft.calls.has(event.id)) draft.changes.push({ kind: 'call_waits', id: event.id });
      break;
    case 'call_output':
      takeOutput(draft, event);
      break;
    case 'call_ended': {
      const { id, failed, blocks } = event;
      endCall(draft, id, { failed, text: textOf(blocks), remark: null, durationMs: null, stored: null });
      break;
    }
    case 'step_committed':
      draft.expected = new Set([...draft.expected, ...event.nodes.filter((node) => !hasId(draft.seen, node))]);
      draft.tip = event.tip;
      break;
    case 'turn_ended':
      endAnswer(draft);
      break;
    default:
      break;
  }
}

/** What of a node was displayed while it came is not displayed again. */
function takeNode(draft: Draft, node: Node, by: 'us' | 'others' | 'hub'): void {
  if (draft.expected.has(node.id)) draft.expected = new Set([...draft.expected].filter((id) => id !== node.id));
  else draft.tip = node.id;
  if (hasId(draft.seen, node.id)) return;
  draft.seen = withId(draft.seen, node.id);
  for (const block of nodeBlocks(node, by === 'us' ? 'us' : 'others')) {
    // Of a refused answer no text is stored: what was displayed of it stays as it is.
    if (block.kind === 'answer') endAnswerWith(draft, block.id, block.text);
    else if (block.kind === 'call') takeEndedCall(draft, block, by);
    else if (block.kind !== 'thinking') {
      endAnswer(draft);
      if (by !== 'hub') draft.changes.push({ kind: 'block_ended', block });
    }
  }
}

function takeEndedCall(draft: Draft, block: DisplayCall, by: 'us' | 'others' | 'hub'): void {
  if (draft.calls.has(block.id)) {
    // Of our own command some output may still be on its way: its end comes when all of that was displayed.
    if (by !== 'us' && block.outcome !== null) endCall(draft, block.id, block.outcome);
    return;
  }
  endAnswer(draft);
  const started: DisplayCall = { ...block, outcome: null };
  draft.changes.push({ kind: 'block_started', block: started }, { kind: 'block_ended', block });
}

/** The step under way, for a client that comes in its middle, or comes again. */
function takeStep(draft: Draft, step: NonNullable<Extract<AgentEvent, { kind: 'turn_snapshot' }>['step']>): void {
  if (draft.open?.id !== step.id) endAnswer(draft);
  if (!hasId(draft.seen, step.id)) {
    if (draft.open === null) openAnswer(draft, step.id);
    catchUp(draft, step.id, { thinking: thinkingIn(step.blocks), answer: textOf(step.blocks) });
  }
  for (const { id, tool, input, state } of step.calls) {
    if (state === 'waiting' || draft.calls.has(id) || hasId(draft.seen, id)) continue;
    startCall(draft, { id, tool, input, by: 'model' });
  }
}

function openAnswer(draft: Draft, id: NodeId): void {
  draft.step = id;
  draft.open = { id, thinking: '', answer: '' };
}

function grow(draft: Draft, kind: 'thinking' | 'answer', added: string): void {
  // A message that came in the middle of an answer ended its block: the rest is another one.
  if (draft.open === null && draft.step !== null) openAnswer(draft, draft.step);
  const { open } = draft;
  if (open === null || added === '') return;
  const text = open[kind] + added;
  draft.open = { ...open, [kind]: text };
  draft.changes.push({ kind: 'block_grew', block: { kind, id: open.id, text }, added });
}

function restart(draft: Draft): void {
  const { open } = draft;
  if (open === null || (open.answer === '' && open.thinking === '')) return;
  const kind = open.answer === '' ? 'thinking' : 'answer';
  draft.open = { id: open.id, thinking: '', answer: '' };
  draft.changes.push({ kind: 'block_restarted', block: { kind, id: open.id, text: open[kind] } });
}

function endAnswer(draft: Draft): void {
  const { open } = draft;
  draft.open = null;
  if (open === null || open.answer === '') return;
  draft.seen = withId(draft.seen, open.id);
  draft.changes.push({ kind: 'block_ended', block: { kind: 'answer', id: open.id, text: open.answer } });
}

function endAnswerWith(draft: Draft, id: NodeId, text: string): void {
  if (draft.open?.id !== id) {
    endAnswer(draft);
    openAnswer(draft, id);
  }
  if (text !== '') catchUp(draft, id, { thinking: draft.open?.thinking ?? '', answer: text });
  endAnswer(draft);
}

/** Displays what of an answer was not displayed yet. */
function catchUp(draft: Draft, id: NodeId, { thinking, answer }: { thinking: string; answer: string }): void {
  if (draft.open !== null && draft.open.thinking !== thinking) {
    draft.open = { ...draft.open, thinking };
    draft.changes.push({ kind: 'block_ended', block: { kind: 'thinking', id, text: thinking } });
  }
  const displayed = draft.open?.answer ?? '';
  if (!answer.startsWith(displayed)) restart(draft);
  grow(draft, 'answer', answer.slice(draft.open?.answer.length ?? 0));
}

function startCall(draft: Draft, { id, tool, input, by }: Pick<DisplayCall, 'id' | 'tool' | 'input' | 'by'>): void {
  if (by === 'model') endAnswer(draft);
  const block: DisplayCall = { kind: 'call', id, tool, input, by, printed: '', outcome: null };
  draft.calls.set(id, { block, output: NO_OUTPUT });
  draft.changes.push({ kind: 'block_started', block });
}

function takeOutput(draft: Draft, event: Extract<AgentEvent, { kind: 'call_output' }>): void {
  const call = draft.calls.get(event.id);
  if (call === undefined) return;
  const { text, cut } = decodePiece(call.output.cut, event);
  draft.calls.set(event.id, { ...call, output: { ...call.output, cut } });
  printCall(draft, event.id, text);
}

function printCall(draft: Draft, id: NodeId, text: string): void {
  const call = draft.calls.get(id);
  if (call === undefined) return;
  const { text: added, held } = cleanPiece(call.output.held, text, 'return');
  addPrinted(draft, { ...call, output: { ...call.output, held } }, added);
}

function addPrinted(draft: Draft, call: OpenCall, added: string): void {
  const printed = overwritten(call.block.printed + added).slice(-PRINTED_LENGTH_MAX);
  const block = { ...call.block, printed };
  draft.calls.set(block.id, { ...call, block });
  draft.changes.push({ kind: 'block_grew', block, added });
}

function endCall(draft: Draft, id: NodeId, outcome: CallOutcome): void {
  const call = draft.calls.get(id);
  if (call === undefined) return;
  const rest = cleanRest(call.output.held, 'return');
  if (rest !== '') addPrinted(draft, call, rest);
  const { block } = draft.calls.get(id) ?? call;
  draft.calls.delete(id);
  draft.seen = withId(draft.seen, id);
  draft.changes.push({ kind: 'block_ended', block: { ...block, outcome } });
}
