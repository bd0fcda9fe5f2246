import { spokenText } from '../../../hub/base/node_blocks.js';
import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, Tree } from '../../../hub/protocol/node.js';

/** How many nodes are asked for at once: at first few, for who goes on upwards more and more. */
const WINDOW_NODES_MIN = 16;
const WINDOW_NODES_MAX = 1_024;

/** A node, and those above it, up to the root: as many as somebody asks for. */
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

/** So many nodes right above one, the uppermost first. */
async function pathAbove(client: Client, { parent, depth }: Node, count: number): Promise<Node[]> {
  if (parent === null) return [];
  const params = { node: parent, from_depth: Math.max(0, depth - count), limit: count };
  const nodes: Node[] = [];
  for await (const node of client.pages('loom.context_get_path', params, 'nodes')) nodes.push(node);
  return nodes;
}

/** Whether a node is one that a person counts: what somebody said, or an answer that is not on the way to another. */
export function isMessage(node: Node): boolean {
  if (node.role === 'user') return true;
  return node.role === 'assistant' && (node.step === null || node.step.size === 1) && hasText(node);
}

function hasText({ blocks }: Node): boolean {
  return blocks.some((block) => spokenText(block)?.trim() !== '');
}

/** The node so many messages above a place; where there are fewer, the root. */
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

/** The last message of a person that began something, on the path to a node; null when there is none. */
export async function lastQuestion(client: Client, tree: Pick<Tree, 'id'>, from: NodeId): Promise<Node | null> {
  let below: Node | null = null;
  for await (const node of upwards(client, from)) {
    if (below !== null && !(await isSteering(client, tree, { message: below, parent: node }))) return below;
    below = node.role === 'user' ? node : null;
  }
  return null;
}

/** How many of the newest turns are looked through. */
const TURNS_MAX = 200;

/** Whether something was said to a turn on its way: only then it stands right below a call of a model. */
async function isSteering(
  client: Client,
  tree: Pick<Tree, 'id'>,
  { message, parent }: { message: Node; parent: Node },
): Promise<boolean> {
  if (parent.kind !== 'external' || parent.step === null) return false;
  const { turns } = await client.call('loom.turn_list', { tree: tree.id, limit: TURNS_MAX });
  if (turns.some(({ node }) => node === message.id)) return false;
  const atMs = message.created_at_ms;
  // Those that ran when it came, and the last one before: what came too late for that was said to it as well.
  const around = turns
    .filter(({ started_at_ms }) => started_at_ms <= atMs)
    .filter(({ ended_at_ms }, index) => index === 0 || ended_at_ms === null || ended_at_ms >= atMs);
  for (const { id: turn } of around) {
    const { inputs } = await client.call('loom.input_list', { turn, limit: TURNS_MAX });
    if (inputs.some(({ node }) => node === message.id)) return true;
  }
  return false;
}
