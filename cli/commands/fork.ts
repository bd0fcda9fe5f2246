import { cliCommand } from '../../hub/base/hint.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { forkTree } from '../position/fork_tree.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { shortId } from '../render/text/ids_and_counts.js';

export const forkCommand = command({
  name: 'fork',
  summary: 'Make a branch a conversation of its own.',
  details:
    'The path to a node is copied into a new conversation, with its marks, and you stand at its end. What was there before stays as it is; `show` and `list` say what a conversation was forked from. Other branches, costs and sub-sessions stay behind. Prints the id of the new tree. To branch within a conversation nothing is needed: go on from any node with --at.',
  arguments: [
    CURRENT_TREE,
    { name: 'node', required: false, description: `the end of the branch: ${NODE_WORDS}`, completes: null },
  ],
  values: [{ name: 'name', value: 'name', choices: null, description: 'a name for the new conversation' }],
  examples: [
    { line: 'cognition fork', does: 'makes the branch that you are on a conversation of its own' },
    { line: 'cognition fork @ a1b2c3d4 --name "parser, again"', does: 'takes the path to that node, under a name' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const node = await positionOf(context, tree, input.argument('node'));
    const forked = await forkTree(context, { tree: tree.id, node, name: input.value('name') ?? null });
    if (context.json) await context.printJson(forked);
    else await context.out.write(`${forked.tree.id}\n`);
    context.note(['Continue with: ', cliCommand('chat', shortId(forked.tree.id))]);
    return EXIT.ok;
  },
});
