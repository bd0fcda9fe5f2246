import { spokenText, textOf, writtenText } from '../../../hub/base/node_blocks.js';
import type { Node, NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { renderRunningCall } from '../../render/node/tool_call.js';
import { createCleaner, overwritten } from '../../render/text/clean.js';
import { createPrintedText, type PrintedText } from '../conversation/decode_output.js';
import { blocksOf, type ComingBlock, NOT_ON_PATH, thinkingKey, type ViewedBlock } from './path_blocks.js';
import { type GrowingText, growingAnswer, growingThought } from './streaming_text.js';

/** What a turn says and does that is not committed yet. */
export interface Coming {
  /** Takes an event; true when there are other blocks after it, not only longer ones. */
  take(event: AgentEvent): boolean;
  /** A turn that somebody else began below where one stands, with this message. */
  stemsFrom(turn: TurnId, message: Node): void;
  /** The blocks below a node that is the end of a path: none where no turn goes on from it. */
  below(tip: NodeId): readonly ViewedBlock[];
  /** Whether something is shown that time changes. */
  isTimed(): boolean;
  /** The path goes on to here: what came before is a part of it. */
  settled(keys: ReadonlySet<string>): void;
}

interface TurnUnderWay {
  /** Where it has stood, the newest last: who does not follow it stands where it began. */
  tips: NodeId[];
  answer: { node: NodeId; said: GrowingText; thought: GrowingText } | null;
  /** What it said and did, as far as it is not on the path that is looked at. */
  blocks: readonly ViewedBlock[];
  running: Map<NodeId, RunningCall>;
  isEnded: boolean;
}

interface RunningCall {
  tool: string;
  input: unknown;
  printed: string;
  decode: PrintedText;
  cleaner: ReturnType<typeof createCleaner>;
  sinceMs: number;
}

const PRINTED_LENGTH_MAX = 8_192;
const PRINTED_ROWS_MAX = 8;
const TIPS_MAX = 500;
const BLOCKS_MAX = 300;
const TURNS_MAX = 50;

export function createComing(nowMs: () => number): Coming {
  const turns = new Map<TurnId, TurnUnderWay>();
  return {
    take(event) {
      const turn = turns.get(event.turn) ?? newTurn();
      const before = turn.blocks;
      turns.set(event.turn, turn);
      for (const oldest of turns.keys()) if (turns.size > TURNS_MAX) turns.delete(oldest);
      taken(turn, event, nowMs);
      turn.blocks = turn.blocks.length > BLOCKS_MAX ? turn.blocks.slice(-BLOCKS_MAX) : turn.blocks;
      return turn.blocks !== before;
    },
    stemsFrom(id, message) {
      const turn = turns.get(id);
      if (turn === undefined || message.parent === null) return;
      const said = blocksOf(message).map((block) => ({ ...block, at: NOT_ON_PATH }));
      turn.tips = [message.parent, ...turn.tips];
      turn.blocks = [...said, ...turn.blocks];
    },
    below(tip) {
      for (const [id, turn] of turns) if (turn.isEnded && turn.tips.at(-1) === tip) turns.delete(id);
      return [...turns.values()].flatMap(({ tips, blocks }) => (tips.includes(tip) ? blocks : []));
    },
    isTimed: () => [...turns.values()].some(({ running }) => running.size > 0),
    settled(keys) {
      for (const turn of turns.values()) {
        if (turn.blocks.some(({ key }) => keys.has(key))) turn.blocks = turn.blocks.filter(({ key }) => !keys.has(key));
      }
    },
  };
}

function newTurn(): TurnUnderWay {
  return { tips: [], answer: null, blocks: [], running: new Map(), isEnded: false };
}

function taken(turn: TurnUnderWay, event: AgentEvent, nowMs: () => number): void {
  switch (event.kind) {
    case 'turn_started':
      standAt(turn, event.node);
      break;
    case 'step_committed':
    case 'input_taken':
    case 'context_compacted':
    case 'turn_resumed':
      standAt(turn, event.tip);
      break;
    case 'turn_ended':
      turn.isEnded = true;
      turn.running.clear();
      standAt(turn, event.outcome.tip);
      break;
    case 'turn_snapshot':
      takeSnapshot(turn, event, nowMs);
      break;
    case 'request_started':
      begin(turn, event.node);
      break;
    case 'text_added':
      grow(turn, 'said', event.text);
      break;
    case 'thinking_added':
      grow(turn, 'thought', event.text);
      break;
    case 'answer_restarted':
      if (turn.answer !== null) begin(turn, turn.answer.node);
      break;
    case 'call_started':
      beginCall(turn, event, nowMs);
      break;
    case 'call_output':
      print(turn.running.get(event.id), event);
      break;
    case 'call_ended':
      endCall(turn, event);
      break;
    default:
      break;
  }
}

function standAt(turn: TurnUnderWay, tip: NodeId): void {
  turn.tips = [...turn.tips.filter((one) => one !== tip), tip].slice(-TIPS_MAX);
  turn.answer = null;
  // Another array, since below another node other blocks are shown.
  turn.blocks = [...turn.blocks];
}

function takeSnapshot(
  turn: TurnUnderWay,
  { tip, step }: Extract<AgentEvent, { kind: 'turn_snapshot' }>,
  nowMs: () => number,
): void {
  standAt(turn, tip);
  turn.running.clear();
  turn.blocks = [];
  if (step === null) return;
  begin(turn, step.id);
  for (const block of step.blocks) {
    const said = spokenText(block);
    if (said === null) grow(turn, 'thought', writtenText(block) ?? '');
    else grow(turn, 'said', said);
  }
  for (const call of step.calls) if (call.state !== 'waiting') beginCall(turn, call, nowMs);
}

/** An answer that begins again takes the place of what was said of it before. */
function begin(turn: TurnUnderWay, node: NodeId): void {
  turn.answer = { node, said: growingAnswer(), thought: growingThought() };
  turn.blocks = turn.blocks.filter((block) => block.node !== node);
}

function grow(turn: TurnUnderWay, what: 'said' | 'thought', text: string): void {
  const { answer, blocks } = turn;
  if (answer === null || text === '') return;
  answer[what].add(text);
  const isThought = what === 'thought';
  const key = isThought ? thinkingKey(answer.node) : answer.node;
  if (blocks.some((block) => block.key === key)) return;
  // A few blank lines are nothing to see yet.
  if (answer[what].text().trim() === '') return;
  turn.blocks = [...blocks, { ...blockOf(answer.node, answer[what]), key, startsFolded: isThought }];
}

function blockOf(node: NodeId, coming: ComingBlock): ViewedBlock {
  return { key: node, node, at: NOT_ON_PATH, shown: { kind: 'coming', coming }, startsFolded: false, more: null };
}

function beginCall(
  turn: TurnUnderWay,
  { id, tool, input }: { id: NodeId; tool: string; input: unknown },
  nowMs: () => number,
): void {
  if (turn.blocks.some(({ key }) => key === id)) return;
  const call: RunningCall = {
    ...{ tool, input, printed: '', decode: createPrintedText(), cleaner: createCleaner('return') },
    sinceMs: nowMs(),
  };
  turn.running.set(id, call);
  const coming: ComingBlock = {
    isCall: true,
    text: () => call.printed,
    rows(look, isFolded) {
      const { printed, sinceMs } = call;
      const shown = { tool, input, printed, elapsedMs: nowMs() - sinceMs };
      const rows = renderRunningCall(shown, isFolded ? 0 : PRINTED_ROWS_MAX, look);
      return rows.map((text) => ({ text, indent: 0, joint: '\n' }));
    },
  };
  turn.blocks = [...turn.blocks, blockOf(id, coming)];
}

function print(call: RunningCall | undefined, piece: Parameters<PrintedText>[0]): void {
  if (call === undefined) return;
  const text = call.cleaner.take(call.decode(piece));
  call.printed = overwritten(call.printed + text).slice(-PRINTED_LENGTH_MAX);
}

/** From its end to the commit of its step it is shown as it will be then. */
function endCall(turn: TurnUnderWay, event: Extract<AgentEvent, { kind: 'call_ended' }>): void {
  const running = turn.running.get(event.id);
  turn.running.delete(event.id);
  if (running === undefined) return;
  const { tool, input } = running;
  const output = textOf(event.blocks);
  const call = { tool, input, output, failed: event.failed, remark: null, durationMs: null, size: null };
  turn.blocks = turn.blocks.map((block) =>
    block.key === event.id ? { ...block, startsFolded: true, shown: { kind: 'call' as const, call } } : block,
  );
}
