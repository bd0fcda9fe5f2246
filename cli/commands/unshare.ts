import { command, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { treeWords } from '../render/tree/tree_list.js';
import { chosenRemote, REMOTE } from '../sharing/remotes.js';

export const unshareCommand = command({
  name: 'unshare',
  summary: 'Share a conversation no longer; what is here stays.',
  arguments: [TREE, REMOTE],
  flags: [
    {
      name: 'purge',
      short: null,
      description:
        'delete it at the remote as well; whoever has it keeps it, and is told. Only who owns the remote can',
    },
  ],
  examples: [
    { line: 'cognition unshare trip', does: 'sends and fetches nothing of it any more' },
    { line: 'cognition unshare trip --purge', does: 'also deletes it at the remote' },
  ],
  async run(input, context) {
    const remote = chosenRemote(context, input.argument('remote'));
    const tree = await findTree(context, input.required('tree'), 'change');
    const purge = input.flag('purge');
    const done = await (await context.client()).call('sharing.unshare', { remote, tree: tree.id, purge });
    if (context.json) await context.printJson({ remote, tree: tree.id, ...done });
    else {
      const there = done.purged ? ', and it is deleted there' : '';
      await context.out.write(`${treeWords(tree)} is shared over ${remote} no longer${there}.\n`);
    }
    return EXIT.ok;
  },
});
