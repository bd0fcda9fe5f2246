import { cliCommand } from '../../hub/base/hint.js';
import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { noteSharedProject } from '../sharing/share_project.js';

export const newCommand = command({
  name: 'new',
  summary: 'Start a conversation and make it the current one.',
  details: 'Prints the id of the new tree. It belongs to the repository, or else the folder, that you are in.',
  arguments: [{ name: 'name', required: false, description: 'a name of its own, of one line', completes: null }],
  examples: [
    { line: 'cognition new', does: 'starts a conversation without a name' },
    { line: 'cognition new "parser rewrite"', does: 'starts one that can be called by that name' },
  ],
  async run(input, context) {
    const client = await context.client();
    const tree = await client.call('loom.tree_create', {
      name: input.argument('name') ?? null,
      project: context.project,
    });
    await remember(context, async (session) => {
      await session.use(tree.id, context.project);
      await session.move(tree.id, rootOf(tree.id));
    });
    if (context.json) await context.printJson(tree);
    else await context.out.write(`${tree.id}\n`);
    noteSharedProject(context);
    context.note(['Continue with: ', cliCommand('chat', shortId(tree.id))]);
    return EXIT.ok;
  },
});
