import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { shortId } from '../render/text/ids_and_counts.js';

export const useCommand = command({
  name: 'use',
  summary: 'Make a conversation the current one, `@`, of the project that you are in.',
  arguments: [TREE],
  examples: [
    { line: 'cognition use a1b2c3d4', does: 'selects the conversation whose id begins so' },
    { line: 'cognition use "parser rewrite"', does: 'selects one by its name' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.required('tree'), 'read');
    await context.session.use(tree.id, context.project);
    if (context.json) await context.printJson(tree);
    else await context.out.write(`${tree.id}\n`);
    if (tree.archived_at_ms !== null)
      context.note(['It is archived. Restore with: ', cliCommand('restore', shortId(tree.id))]);
    context.note(['Continue with: ', cliCommand('chat', shortId(tree.id))]);
    return EXIT.ok;
  },
});
