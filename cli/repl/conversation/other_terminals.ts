import type { Node, NodeId } from '../../../hub/protocol/node.js';
import { isSeen } from '../../display/reduce.js';
import { isSilent } from '../../render/node/node_text.js';
import { cleanLine } from '../../render/text/clean.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import { quotedWords } from '../tree/node_words.js';
import type { ConversationParts } from './conversation_parts.js';

/** Nodes that other terminals write beside the display. */
export interface Others {
  /** Announces a node that continues the displayed path, once per branch. */
  take(node: Node): Promise<void>;
  /** Marks nodes as known, so that their branches are not announced. */
  know(nodes: Iterable<NodeId>): void;
  /** Follows a branch that is known by a node that was displayed. */
  pass(node: Node): void;
  /** Called when the person moves to a node: others' branches there are announced again. */
  forget(node: NodeId): void;
}

/** The limit of remembered branch ends. */
const KNOWN_MAX = 10_000;

export function createOthers({ client, context, front, display }: ConversationParts): Others {
  const known = new Set<NodeId>();
  /** Answers that only call tools, with their parents: the first call describes the branch. */
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
    const who = node.by === undefined ? 'another terminal' : cleanLine(node.by);
    const text = `(${who} ${what}: ${id} ${words}. Go there with: /switch ${id})`;
    await front.show({ kind: 'note', text });
  }

  return {
    know,
    pass(node) {
      if (node.parent !== null && known.delete(node.parent)) know([node.id]);
    },
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
