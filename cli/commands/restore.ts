import { command, NODE_WORDS, TREE } from '../command.js';
import { EXIT } from '../failure.js';
import { findNode, findTree } from '../reference.js';
import { treeWords } from '../render/list.js';

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
    const tree = await findTree(context, input.required('tree'), 'restore');
    const client = await context.client();
    const reference = input.argument('node');
    const restored =
      reference === undefined
        ? await client.call('loom.tree_restore', { tree: tree.id })
        : await client.call('loom.branch_restore', {
            tree: tree.id,
            node: await findNode(context, tree.id, reference),
          });
    if (context.json) await context.printJson(restored);
    else
      await context.out.write(
        `Restored ${reference === undefined ? treeWords(restored) : `the branch at ${reference}`}.\n`,
      );
    if (restored.name !== tree.name) {
      context.note(
        `The name "${tree.name ?? ''}" has been taken meanwhile; it is now called "${restored.name ?? ''}".`,
      );
    }
    return EXIT.ok;
  },
});
