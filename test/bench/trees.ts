import { randomUUID } from 'node:crypto';
import type { Client } from '../../hub/client/client.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';

export const TEXT =
  'A message of an ordinary length, which says something about the files in the folder of the project.';

export async function newTree(client: Client): Promise<TreeId> {
  const { id } = await client.call('loom.tree_create', { id: TreeId.parse(randomUUID()) });
  return id;
}

/** Appends one message after the other and returns the last. */
export async function addChain(client: Client, tree: TreeId, count: number): Promise<NodeId> {
  let parent = NodeId.parse(tree);
  for (let number = 0; number < count; number++) {
    const { node } = await client.call('loom.node_create_text', message(tree, parent));
    parent = node.id;
  }
  return parent;
}

/** Appends `count` messages below one node with so many calls in flight. */
export async function addFan(
  client: Client,
  tree: TreeId,
  { count, inFlight }: { count: number; inFlight: number },
): Promise<void> {
  const parent = NodeId.parse(tree);
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await client.call('loom.node_create_text', message(tree, parent));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

function message(tree: TreeId, parent: NodeId) {
  return {
    id: NodeId.parse(randomUUID()),
    tree,
    parent,
    role: 'user' as const,
    blocks: [{ type: 'text' as const, text: TEXT }],
  };
}
