import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { nodeFrom } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';

export const deleteCommand = command({
  name: 'delete',
  summary: 'Archive a conversation, or one branch of it.',
  details:
    'Nothing is lost: an archived conversation can be read, and restored at any time. To delete for good, see purge.',
  arguments: [
    TREE,
    {
      name: 'node',
      required: false,
      description: `archive only this node and all that grew from it: ${NODE_WORDS}`,
      completes: null,
    },
  ],
  examples: [
    { line: 'cognition delete @', does: 'archives the current conversation' },
    { line: 'cognition delete @ 5e6f7a8b', does: 'archives the branch that begins at that node' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.required('tree'), 'change');
    const client = await context.client();
    const reference = input.argument('node');
    if (reference !== undefined) {
      const node = await nodeFrom(context, tree, reference);
      const changed = await client.call('loom.branch_archive', { tree: tree.id, node });
      if (context.json) await context.printJson(changed);
      else
        await context.out.write(
          `Archived the branch at ${shortId(node)}. Restore with: cognition restore ${shortId(tree.id)} ${shortId(node)}\n`,
        );
      return EXIT.ok;
    }
    const archived = await client.call('loom.tree_archive', { tree: tree.id });
    if (context.session.read().current === tree.id) await context.session.use(null);
    if (context.json) await context.printJson(archived);
    else await context.out.write(`Archived ${treeWords(tree)}. Restore with: cognition restore ${shortId(tree.id)}\n`);
    return EXIT.ok;
  },
});
