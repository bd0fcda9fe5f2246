import { spokenText } from '../../../hub/base/node_blocks.js';
import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, Tree } from '../../../hub/protocol/node.js';

/** How many nodes are read at once: few at first, doubling on the way up. */
const WINDOW_NODES_MIN = 16;
const WINDOW_NODES_MAX = 1_024;

/** A node and its ancestors up to the root, read as they are consumed. */
export async function* upwards(client: Client, from: NodeId): AsyncGenerator<Node> {
  const { node } = await client.call('loom.node_get', { node: from });
  yield node;
  let top = node;
  let count = WINDOW_NODES_MIN;
  while (top.parent !== null) {
    const window = await pathAbove(client, top, count);
    const [uppermost] = window;
    if (uppermost === undefined) return;
    yield* window.toReversed();
    top = uppermost;
    count = Math.min(count * 2, WINDOW_NODES_MAX);
  }
}

/** The nearest ancestors of a node, the uppermost first. */
async function pathAbove(client: Client, { parent, depth }: Node, count: number): Promise<Node[]> {
  if (parent === null) return [];
  const params = { node: parent, from_depth: Math.max(0, depth - count), limit: count };
  const nodes: Node[] = [];
  for await (const node of client.pages('loom.context_get_path', params, 'nodes')) nodes.push(node);
  return nodes;
}

/** Whether a person counts a node as a message: something said, or an answer that calls no tools. */
export function isMessage(node: Node): boolean {
  if (node.role === 'user') return true;
  return node.role === 'assistant' && (node.step === null || node.step.size === 1) && hasText(node);
}

function hasText({ blocks }: Node): boolean {
  return blocks.some((block) => spokenText(block)?.trim() !== '');
}

/** The node a number of messages above another; the root when there are fewer. */
export async function messagesBack(client: Client, from: NodeId, count: number): Promise<NodeId> {
  let left = count;
  let last = from;
  for await (const node of upwards(client, from)) {
    last = node.id;
    if (node.id === from || !isMessage(node)) continue;
    left -= 1;
    if (left === 0) return node.id;
  }
  return last;
}

/** The last message of a person that began a turn, on the path to a node; null when there is none. */
export async function lastQuestion(client: Client, tree: Pick<Tree, 'id'>, from: NodeId): Promise<Node | null> {
  let below: Node | null = null;
  for await (const node of upwards(client, from)) {
    if (below !== null && !(await isSteering(client, tree, { message: below, parent: node }))) return below;
    below = node.role === 'user' ? node : null;
  }
  return null;
}

/** How many of the newest turns are searched. */
const TURNS_MAX = 200;

/** Whether a message was an input to a running turn: only those stand right below a tool call. */
async function isSteering(
  client: Client,
  tree: Pick<Tree, 'id'>,
  { message, parent }: { message: Node; parent: Node },
): Promise<boolean> {
  if (parent.kind !== 'external' || parent.step === null) return false;
  const { turns } = await client.call('loom.turn_list', { tree: tree.id, limit: TURNS_MAX });
  if (turns.some(({ node }) => node === message.id)) return false;
  const atMs = message.created_at_ms;
  // The turns that ran when it came, and the last one before, which also holds inputs that came too late for it.
  const around = turns
    .filter(({ started_at_ms }) => started_at_ms <= atMs)
    .filter(({ ended_at_ms }, index) => index === 0 || ended_at_ms === null || ended_at_ms >= atMs);
  for (const { id: turn } of around) {
    const { inputs } = await client.call('loom.input_list', { turn, limit: TURNS_MAX });
    if (inputs.some(({ node }) => node === message.id)) return true;
  }
  return false;
}
