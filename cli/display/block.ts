import { callEnd } from '../../hub/base/call_end.js';
import { blocksOfType, textOf } from '../../hub/base/node_blocks.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Block, Node, NodeId, Output } from '../../hub/protocol/node.js';
import { nodeText } from '../render/node/node_text.js';
import { cleanLine } from '../render/text/clean.js';

/** A piece of a conversation as it is displayed. `id` is that of its node; a thinking block has the id of its answer. */
export type DisplayBlock = DisplayMessage | DisplayText | DisplayCall;

/** What a person said; `others` is somebody at another terminal. */
export interface DisplayMessage {
  kind: 'message';
  id: NodeId;
  text: string;
  by: 'us' | 'others';
  /** Whose it is, when it comes from another hub. */
  from: string | null;
}

export interface DisplayText {
  kind: 'thinking' | 'answer' | 'summary';
  id: NodeId;
  text: string;
}

export interface DisplayCall {
  kind: 'call';
  id: NodeId;
  tool: string;
  input: unknown;
  by: 'model' | 'person';
  /** The end of what it has printed so far, safe to print. */
  printed: string;
  /** Null while it runs. */
  outcome: CallOutcome | null;
}

export interface CallOutcome {
  failed: boolean;
  /** All that it gave, as a model is shown it. */
  text: string;
  /** How it ended, when that needs a word and the text does not say it. */
  remark: string | null;
  /** Null when nobody measured. */
  durationMs: number | null;
  /** Its whole output; null where none is stored. */
  stored: Output | null;
}

/** What a change of a block is. */
export type BlockChange =
  /** A call runs. Of a text the first change is that it grew. */
  | { kind: 'block_started'; block: DisplayCall }
  /** Nothing of a call is done before a person has answered. */
  | { kind: 'call_waits'; id: NodeId }
  /** `added` is the end of the block's text; of a call it is what it printed, safe to print but for carriage returns. */
  | { kind: 'block_grew'; block: DisplayText | DisplayCall; added: string }
  /** The text so far does not count. */
  | { kind: 'block_restarted'; block: DisplayText }
  | { kind: 'block_ended'; block: DisplayBlock };

/** Who has written a message that is not from this terminal; null for one that is. */
export function writerOf({ by, from }: DisplayMessage): string | null {
  if (from !== null) return cleanLine(from);
  return by === 'others' ? 'Another terminal' : null;
}

/** The blocks of a node: none for the root, and two for an answer that was thought about. */
export function nodeBlocks(node: Node, by: 'us' | 'others'): DisplayBlock[] {
  const { id, blocks } = node;
  switch (node.role) {
    case 'root':
      return [];
    case 'user':
      return [{ kind: 'message', id, text: messageText(node), by, from: node.by ?? null }];
    case 'summary':
      return [{ kind: 'summary', id, text: nodeText(node) }];
    case 'assistant': {
      const answer: DisplayText = { kind: 'answer', id, text: textOf(blocks) };
      const thinking = thinkingIn(blocks);
      return thinking === '' ? [answer] : [{ kind: 'thinking', id, text: thinking }, answer];
    }
    case 'tool': {
      const { tool, input, id: call } = node.external.call;
      const caller = call === null ? 'person' : 'model';
      return [{ kind: 'call', id, tool, input, by: caller, printed: '', outcome: outcomeOf(node) }];
    }
  }
}

const ID = '[0-9a-f-]{36}';
const HASHED = `${ID} \\(sha256 [0-9a-f]{64}\\)`;
/** Exactly what /merge writes, so that nothing else stays out of sight. */
const PROVENANCE = new RegExp(
  `\\nProvenance: the branch that ends at ${HASHED}; left this one at ${HASHED}; its nodes:(?: ${ID})+(?: and those before)?$`,
);

/** A message without the ids and hashes of a branch that it was merged from. */
function messageText(node: Node): string {
  return nodeText(node).replace(PROVENANCE, '\n(its nodes and their hashes: /context)');
}

/** How a call ended, by its node. */
export function outcomeOf({ blocks, external }: Pick<ToolAnswer, 'blocks' | 'external'>): CallOutcome {
  const { failed, how } = callEnd(external);
  const { signal, duration_ms: durationMs, output: stored } = external;
  // A person is told the signal rather than why the program sent it.
  const remark = signal === null ? how : `ended by ${signal}`;
  return { failed, text: textOf(blocks), remark, durationMs, stored };
}

export function thinkingIn(blocks: readonly Block[]): string {
  return blocksOfType(blocks, 'thinking')
    .map(({ text }) => text)
    .join('\n');
}
