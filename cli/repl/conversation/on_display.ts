import { textOf } from '../../../hub/base/node_blocks.js';
import type { ToolAnswer } from '../../../hub/protocol/methods/tool_methods.js';
import type { Node, NodeId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { nodeText } from '../../render/node/node_text.js';
import type { CallEnded, DisplayEvent } from '../front/front.js';
import { createPrintedText, type PrintedText } from './decode_output.js';

/** What of a tree is on display: what the hub tells twice, as events and as nodes, is shown once. */
export interface Scene {
  /** The last node on display: what grows from it is shown. */
  tip: NodeId;
  /** Nodes that have been shown whole. */
  seen: Set<NodeId>;
  /** Nodes that are told to come. */
  expected: Set<NodeId>;
  /** The answer under way, and what of it has been shown; null between answers. */
  answer: { id: NodeId | null; text: string } | null;
  calls: Map<NodeId, CallOnDisplay>;
  /** Questions that have been shown. */
  asked: Set<NodeId>;
}

interface CallOnDisplay {
  tool: string;
  input: unknown;
  printed: PrintedText;
  /** What of its output was held back, to be shown before its end. */
  heldBack: () => DisplayEvent[];
}

const nothing = (): DisplayEvent[] => [];

/** How many nodes are remembered as shown: far more than come twice. */
const SEEN_MAX = 20_000;

export function newScene(tip: NodeId): Scene {
  return { tip, seen: new Set([tip]), expected: new Set(), answer: null, calls: new Map(), asked: new Set() };
}

/** Takes what happens in a turn that is on display. */
export function takeEvent(scene: Scene, event: AgentEvent): DisplayEvent[] {
  switch (event.kind) {
    case 'request_started': {
      const shown = endAnswer(scene);
      scene.answer = { id: event.node, text: '' };
      return shown;
    }
    case 'text_added':
      return grow(scene, event.text);
    case 'thinking_added':
      return [{ kind: 'thought', text: event.text }];
    case 'answer_restarted':
      return restart(scene);
    case 'turn_snapshot':
      return takeStep(scene, event);
    case 'call_started': {
      const shown = endAnswer(scene);
      const { id, tool, input } = event;
      scene.calls.set(id, { tool, input, printed: createPrintedText(), heldBack: nothing });
      return [...shown, { kind: 'call_began', id, tool, input, by: 'model' }];
    }
    case 'question_asked':
      return scene.calls.has(event.id) ? [{ kind: 'call_waits', id: event.id }] : [];
    case 'call_output': {
      const printed = scene.calls.get(event.id)?.printed ?? createPrintedText();
      return [{ kind: 'call_printed', id: event.id, text: printed(event) }];
    }
    case 'call_ended':
      return endCall(scene, event.id, { failed: event.failed, text: textOf(event.blocks), remark: null });
    case 'step_committed':
      for (const node of event.nodes) if (!scene.seen.has(node)) scene.expected.add(node);
      scene.tip = event.tip;
      return [];
    case 'turn_ended':
      return endAnswer(scene);
    default:
      return [];
  }
}

export const UNKNOWN_END = { failed: true, text: '', remark: 'how it ended is not known' };

/** Ends what is still on display of a turn that is over: how those calls ended will not be told. */
export function endCallsOf(scene: Scene): DisplayEvent[] {
  const untold = [...scene.calls.keys()].filter((id) => !scene.expected.has(id));
  return untold.flatMap((id) => endCall(scene, id, UNKNOWN_END));
}

/** Whether a node belongs to what is on display. */
export function isOnDisplay(scene: Scene, node: Node): boolean {
  return scene.expected.has(node.id) || node.parent === scene.tip || scene.answer?.id === node.id;
}

/** Takes a node that is on display; what of it was shown while it came is not shown again. */
export function takeNode(scene: Scene, node: Node, by: 'us' | 'others'): DisplayEvent[] {
  if (!scene.expected.delete(node.id)) scene.tip = node.id;
  if (scene.seen.has(node.id)) return [];
  remember(scene, node.id);
  if (node.kind === 'external') return takeCall(scene, node, by);
  switch (node.role) {
    case 'user':
      return [...endAnswer(scene), { kind: 'said', id: node.id, text: nodeText(node), by }];
    case 'assistant':
      return takeAnswer(scene, node);
    case 'summary':
      return [...endAnswer(scene), { kind: 'summarised', text: nodeText(node) }];
    case 'root':
      return [];
  }
}

/** Goes to another place: what is there has been seen. */
export function moveScene(scene: Scene, tip: NodeId): void {
  scene.tip = tip;
  scene.answer = null;
  scene.calls.clear();
  scene.expected.clear();
  remember(scene, tip);
}

/** Forgets that a call is under way, and tells how it ended. */
export function endCall(scene: Scene, id: NodeId, end: Pick<CallEnded, 'failed' | 'text' | 'remark'>): DisplayEvent[] {
  const call = scene.calls.get(id);
  if (call === undefined) return [];
  scene.calls.delete(id);
  remember(scene, id);
  const { tool, input, heldBack } = call;
  return [...heldBack(), { kind: 'call_ended', id, tool, input, ...end }];
}

function remember(scene: Scene, id: NodeId): void {
  scene.seen.add(id);
  if (scene.seen.size <= SEEN_MAX) return;
  for (const oldest of scene.seen) {
    scene.seen.delete(oldest);
    return;
  }
}

function grow(scene: Scene, text: string): DisplayEvent[] {
  scene.answer ??= { id: null, text: '' };
  scene.answer.text += text;
  return text === '' ? [] : [{ kind: 'answer_grew', text }];
}

function restart(scene: Scene): DisplayEvent[] {
  if (scene.answer === null || scene.answer.text === '') return [];
  scene.answer.text = '';
  return [{ kind: 'answer_restarted' }];
}

function endAnswer(scene: Scene): DisplayEvent[] {
  const { answer } = scene;
  scene.answer = null;
  if (answer === null || answer.text === '') return [];
  if (answer.id !== null) remember(scene, answer.id);
  return [{ kind: 'answer_ended' }];
}

/** Shows what of a text has not been shown. */
function catchUp(scene: Scene, text: string): DisplayEvent[] {
  const shown = scene.answer?.text ?? '';
  if (text.startsWith(shown)) return grow(scene, text.slice(shown.length));
  return [...restart(scene), ...grow(scene, text)];
}

function takeAnswer(scene: Scene, { id, blocks }: Node): DisplayEvent[] {
  const before = scene.answer?.id === id ? [] : endAnswer(scene);
  scene.answer ??= { id, text: '' };
  const text = textOf(blocks);
  // Of a refused answer no words are kept as such: what was shown of it stays as it is.
  return [...before, ...(text === '' ? [] : catchUp(scene, text)), ...endAnswer(scene)];
}

/** Where a turn stands for who comes in its middle, or comes again. */
function takeStep(scene: Scene, { step }: Extract<AgentEvent, { kind: 'turn_snapshot' }>): DisplayEvent[] {
  if (step === null) return [];
  const shown: DisplayEvent[] = [];
  if (scene.answer?.id !== step.id) shown.push(...endAnswer(scene));
  if (!scene.seen.has(step.id)) {
    scene.answer ??= { id: step.id, text: '' };
    shown.push(...catchUp(scene, textOf(step.blocks)));
  }
  for (const { id, tool, input, state } of step.calls) {
    if (state === 'waiting' || scene.calls.has(id) || scene.seen.has(id)) continue;
    shown.push(...endAnswer(scene));
    scene.calls.set(id, { tool, input, printed: createPrintedText(), heldBack: nothing });
    shown.push({ kind: 'call_began', id, tool, input, by: 'model' });
  }
  return shown;
}

function takeCall(scene: Scene, node: Extract<Node, { kind: 'external' }>, ranBy: 'us' | 'others'): DisplayEvent[] {
  const { call } = node.external;
  const end = callEnd(node);
  // Of our own command some output may still be on its way: its end is told when all of that has been shown.
  if (ranBy === 'us' && scene.calls.has(node.id)) return [];
  if (scene.calls.has(node.id)) return endCall(scene, node.id, end);
  const by = call.id === null ? 'person' : 'model';
  return [
    ...endAnswer(scene),
    { kind: 'call_began', id: node.id, tool: call.tool, input: call.input, by },
    { kind: 'call_ended', id: node.id, tool: call.tool, input: call.input, ...end },
  ];
}

/** How a call ended, by what is kept of it. */
export function callEnd({
  blocks,
  external,
}: Pick<ToolAnswer, 'blocks' | 'external'>): Pick<CallEnded, 'failed' | 'text' | 'remark'> {
  const { exit_code: code, signal } = external;
  const exit = code === 0 || code === null ? null : `exit code ${code}`;
  return { failed: exit !== null, text: textOf(blocks), remark: signal === null ? exit : `ended by ${signal}` };
}
