import type { Leaf } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { writeJsonArray } from '../output/sink.js';
import { withLongerWords } from '../position/longer_previews.js';
import { knownPosition, nodeFrom } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { renderLeaves } from '../render/tree/leaves.js';

export const leavesCommand = command({
  name: 'leaves',
  summary: 'List the ends of all branches, newest first.',
  details: 'Each with its id, age, how long its branch is since the last fork, and the words in which it differs.',
  arguments: [CURRENT_TREE],
  flags: [{ name: 'all', short: null, description: 'with archived branches' }],
  values: [{ name: 'under', value: 'node', choices: null, description: `only those that grew from: ${NODE_WORDS}` }],
  paged: true,
  examples: [
    { line: 'cognition leaves', does: 'lists where the current conversation can go on' },
    { line: 'cognition add @ "go on here" --at 5e6f7a8b', does: 'goes on at one of them' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const client = await context.client();
    const under = input.value('under');
    const leaves = client.pages(
      'loom.context_list_leaves',
      {
        tree: tree.id,
        archived: input.flag('all'),
        under: under === undefined ? null : await nodeFrom(context, tree, under),
        limit: 1_000,
      },
      'leaves',
    );
    if (context.json) {
      await writeJsonArray(context.out, leaves);
      return EXIT.ok;
    }
    const all: Leaf[] = [];
    for await (const leaf of leaves) all.push(leaf);
    const look = await context.look(all.map(({ node, differs }) => node.preview + differs));
    await context.out.write(renderLeaves(await withLongerWords(client, all), await knownPosition(context, tree), look));
    if (all.length === 0) context.note('Every branch is archived. See them with --all.');
    return EXIT.ok;
  },
});
