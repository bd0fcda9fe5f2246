import type { Node, NodeId } from '../../../hub/protocol/node.js';
import { isSeen } from '../../display/reduce.js';
import { isSilent } from '../../render/node/node_text.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import { quotedWords } from '../tree/node_words.js';
import type { ConversationParts } from './conversation_parts.js';

/** Nodes that other terminals write beside the display. */
export interface Others {
  /** Notes a node that goes on from what was on display: once for each branch. */
  take(node: Node): Promise<void>;
  /** The person knows that it goes on with these nodes, or from them. */
  know(nodes: Iterable<NodeId>): void;
  /** The person comes to a node: what others write there is noted again. */
  forget(node: NodeId): void;
}

/** How many ends of branches are remembered, to note each only once. */
const KNOWN_MAX = 10_000;

export function createOthers({ client, context, front, display }: ConversationParts): Others {
  const known = new Set<NodeId>();
  /** Answers that only call tools, and what they answer: the first call tells what the branch is about. */
  const untold = new Map<NodeId, NodeId>();

  function know(nodes: Iterable<NodeId>): void {
    if (known.size >= KNOWN_MAX) known.clear();
    for (const node of nodes) known.add(node);
  }

  async function tell(node: Node, from: NodeId): Promise<void> {
    const { child_count: children } = await client.call('loom.node_get', { node: from });
    const what = children > 1 ? 'wrote here; that made a branch' : `went on from ${shortId(from)}`;
    const words = await quotedWords(context, node);
    const id = shortId(node.id);
    const text = `(another terminal ${what}: ${id} ${words}. Go there with: /switch ${id})`;
    await front.show({ kind: 'note', text });
  }

  return {
    know,
    forget: (node) => void known.delete(node),
    async take(node) {
      if (node.parent === null) return;
      if (known.delete(node.parent) || known.has(node.id)) return know([node.id]);
      const from = untold.get(node.parent) ?? (isSeen(display.state(), node.parent) ? node.parent : null);
      if (from === null) return;
      untold.delete(node.parent);
      if (isSilent(node)) {
        if (untold.size >= KNOWN_MAX) untold.clear();
        untold.set(node.id, from);
        return;
      }
      know([node.id]);
      await tell(node, from);
    },
  };
}
