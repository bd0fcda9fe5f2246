import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { shortId } from '../render/text/ids_and_counts.js';

export const renameCommand = command({
  name: 'rename',
  summary: 'Give a conversation another name.',
  arguments: [TREE, { name: 'name', required: false, description: 'the new name, of one line', completes: null }],
  flags: [{ name: 'remove', short: null, description: 'take its name away' }],
  examples: [
    { line: 'cognition rename @ "parser, second try"', does: 'names the current conversation' },
    { line: 'cognition rename @ --remove', does: 'leaves it without a name' },
  ],
  async run(input, context) {
    const name = input.argument('name');
    if ((name === undefined) !== input.flag('remove')) {
      throw new HubError('invalid_params', 'rename takes a new name, or --remove', {
        hint: [cliCommand('rename', '<tree>', '"new name"')],
      });
    }
    const tree = await treeToChange(context, input.required('tree'), 'change');
    const client = await context.client();
    const renamed = await client.call('loom.tree_update', { tree: tree.id, name: name ?? null });
    if (context.json) await context.printJson(renamed);
    else if (renamed.name === null) await context.out.write(`${shortId(tree.id)} has no name now.\n`);
    else await context.out.write(`${shortId(tree.id)} is called "${renamed.name}" now.\n`);
    return EXIT.ok;
  },
});
