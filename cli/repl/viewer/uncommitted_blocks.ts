import type { Node, NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import type { BlockChange, DisplayCall, DisplayText } from '../../display/block.js';
import { createDisplay, type Display } from '../../display/display.js';
import { blocksOf, callBlock, keyOf, NOT_ON_PATH, openBlock, type ViewedBlock } from './path_blocks.js';

/** The uncommitted blocks of running turns. */
export interface UncommittedBlocks {
  /** Applies an event; true when blocks were added or removed, not only extended. */
  take(event: AgentEvent): boolean;
  /** A turn was started by another client below the position, with this message. */
  startedBelow(turn: TurnId, message: Node): void;
  /** The blocks below the end of a path; none without a turn there. */
  below(tip: NodeId): readonly ViewedBlock[];
  /** Whether a shown block changes with time. */
  isTimed(): boolean;
  /** Drops blocks that are committed to the path. */
  dropCommitted(keys: ReadonlySet<string>): void;
}

interface RunningTurn {
  /** Its positions, newest last: a client that does not follow it stays at its start. */
  tips: NodeId[];
  display: Display;
  blocks: readonly ViewedBlock[];
  isEnded: boolean;
}

const TIPS_MAX = 500;
const BLOCKS_MAX = 300;
const TURNS_MAX = 50;

export function createUncommittedBlocks(nowMs: () => number): UncommittedBlocks {
  const turns = new Map<TurnId, RunningTurn>();
  return {
    take(event) {
      const tip = tipAfter(event);
      const turn = turns.get(event.turn) ?? (tip === null ? null : newTurn(tip));
      if (turn === null) return false;
      const before = turn.blocks;
      turns.set(event.turn, turn);
      for (const oldest of turns.keys()) if (turns.size > TURNS_MAX) turns.delete(oldest);
      takeEvent(turn, event, nowMs());
      return turn.blocks !== before;
    },
    startedBelow(id, message) {
      const turn = turns.get(id);
      if (turn === undefined || message.parent === null) return;
      turn.tips = [message.parent, ...turn.tips];
      turn.blocks = [...blocksOf(message).map((block) => ({ ...block, at: NOT_ON_PATH })), ...turn.blocks];
    },
    below(tip) {
      for (const [id, turn] of turns) if (turn.isEnded && turn.tips.at(-1) === tip) turns.delete(id);
      return [...turns.values()].flatMap(({ tips, blocks }) => (tips.includes(tip) ? blocks : []));
    },
    isTimed: () => [...turns.values()].some(({ isEnded, display }) => !isEnded && display.state().calls.size > 0),
    dropCommitted(keys) {
      for (const turn of turns.values()) {
        if (turn.blocks.some(({ key }) => keys.has(key))) turn.blocks = turn.blocks.filter(({ key }) => !keys.has(key));
      }
    },
  };
}

function newTurn(tip: NodeId): RunningTurn {
  return { tips: [], display: createDisplay(tip), blocks: [], isEnded: false };
}

function takeEvent(turn: RunningTurn, event: AgentEvent, nowMs: number): void {
  const tip = tipAfter(event);
  if (tip !== null) {
    turn.tips = [...turn.tips.filter((one) => one !== tip), tip].slice(-TIPS_MAX);
    // A new array: other blocks are shown below another node.
    turn.blocks = [...turn.blocks];
  }
  if (event.kind === 'turn_ended') turn.isEnded = true;
  if (event.kind === 'turn_snapshot') {
    turn.display = createDisplay(event.tip);
    turn.blocks = [];
  }
  for (const change of turn.display.take({ kind: 'event', event })) {
    turn.blocks = blocksAfter(turn.blocks, change, nowMs);
  }
}

/** The position of a turn after an event; null if unchanged. */
function tipAfter(event: AgentEvent): NodeId | null {
  switch (event.kind) {
    case 'turn_started':
      return event.node;
    case 'turn_ended':
      return event.outcome.tip;
    case 'step_committed':
    case 'input_taken':
    case 'context_compacted':
    case 'turn_resumed':
    case 'turn_snapshot':
      return event.tip;
    default:
      return null;
  }
}

/** The same array if a block only grew. */
function blocksAfter(blocks: readonly ViewedBlock[], change: BlockChange, nowMs: number): readonly ViewedBlock[] {
  switch (change.kind) {
    case 'block_started':
    case 'block_grew':
      return withOpen(blocks, change.block, nowMs);
    case 'block_restarted':
      return blocks.filter(({ node }) => node !== change.block.id);
    case 'block_ended': {
      const { block } = change;
      if (block.kind === 'thinking') return withOpen(blocks, block, nowMs);
      if (block.kind !== 'call') return blocks;
      // Between its end and its commit, a block looks as it will when committed.
      const ended = callBlock(block, block.outcome?.text ?? '', NOT_ON_PATH);
      return blocks.map((one) => (one.key === ended.key ? ended : one));
    }
    case 'call_waits':
      return blocks;
  }
}

function withOpen(
  blocks: readonly ViewedBlock[],
  block: DisplayText | DisplayCall,
  nowMs: number,
): readonly ViewedBlock[] {
  const existing = blocks.find(({ key }) => key === keyOf(block));
  if (existing !== undefined) {
    const { shown } = existing;
    existing.shown = { kind: 'open', block, sinceMs: shown.kind === 'open' ? shown.sinceMs : nowMs };
    return blocks;
  }
  // White space alone is not shown.
  if (block.kind !== 'call' && block.text.trim() === '') return blocks;
  return [...blocks, openBlock(block, nowMs)].slice(-BLOCKS_MAX);
}
