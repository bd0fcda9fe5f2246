import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import { pathTo, treeIndex } from '../../loom/tree.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { nodeFrom } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { readSkeleton } from '../position/skeleton.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';

export const restoreCommand = command({
  name: 'restore',
  summary: 'Bring back an archived conversation, or an archived branch.',
  arguments: [
    TREE,
    {
      name: 'node',
      required: false,
      description: `bring back only the branch at this node: ${NODE_WORDS}`,
      completes: null,
    },
  ],
  examples: [
    { line: 'cognition restore a1b2c3d4', does: 'brings back a conversation' },
    { line: 'cognition restore a1b2c3d4 5e6f7a8b', does: 'brings back a branch of it' },
  ],
  async run(input, context) {
    const reference = input.argument('node');
    const tree = await treeToChange(context, input.required('tree'), reference === undefined ? 'restore' : 'change');
    const client = await context.client();
    if (reference !== undefined) {
      const named = await nodeFrom(context, tree, reference);
      if (named === rootOf(tree.id)) {
        throw new HubError('invalid_params', 'the root is not a branch', {
          hint: ['to bring back the whole tree, run: ', cliCommand('restore', shortId(tree.id))],
        });
      }
      const { step } = (await client.call('loom.node_get', { tree: tree.id, node: named })).node;
      const node = step?.id ?? named;
      const changed = await client.call('loom.branch_restore', { tree: tree.id, node });
      if (context.json) await context.printJson(changed);
      else await context.out.write(`Restored the branch at ${shortId(node)}.\n`);
      const hiding = await archivedAbove(client, tree, node);
      if (hiding !== null) {
        const command = `cognition restore ${shortId(tree.id)} ${shortId(hiding)}`;
        context.note(`It stays hidden in another archived branch. Restore that as well: ${command}`);
      }
      return EXIT.ok;
    }
    const restored = await client.call('loom.tree_restore', { tree: tree.id });
    if (context.json) await context.printJson(restored);
    else if (tree.archived_at_ms !== null) await context.out.write(`Restored ${treeWords(restored)}.\n`);
    if (tree.archived_at_ms === null) context.note(`${treeWords(tree)} is not archived.`);
    if (restored.name !== tree.name) {
      context.note(
        `The name "${tree.name ?? ''}" has been taken meanwhile; it is now called "${restored.name ?? ''}".`,
      );
    }
    return EXIT.ok;
  },
});

/** The highest archived node on the path to one; null when nothing hides it. */
async function archivedAbove(client: Client, tree: Tree, node: NodeId): Promise<NodeId | null> {
  const shape = treeIndex(await readSkeleton(client, tree, true));
  const path = pathTo(shape, shape.indexOf(node) ?? 0).map((index) => shape.nodes[index]);
  return path.find((one) => one?.archived)?.id ?? null;
}
