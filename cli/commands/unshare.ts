import { command, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { treeWords } from '../render/tree/tree_list.js';
import { chosenRemote, REMOTE } from '../sharing/remotes.js';
import { PROJECT_FLAG, remoteOfProject, requireTree, unshareProject } from '../sharing/share_project.js';

export const unshareCommand = command({
  name: 'unshare',
  summary: 'Share a conversation, or a project, no longer; what is here stays.',
  arguments: [{ ...TREE, required: false }, REMOTE],
  flags: [
    {
      name: 'purge',
      short: null,
      description:
        'delete it at the remote as well; whoever has it keeps it, and is told. Only who owns the remote can',
    },
    PROJECT_FLAG,
    { name: 'yes', short: null, description: 'with --project --purge: do not ask' },
  ],
  examples: [
    { line: 'cognition unshare trip', does: 'sends and fetches nothing of it any more' },
    { line: 'cognition unshare trip --purge', does: 'also deletes it at the remote' },
    { line: 'cognition unshare --project team', does: 'ends it for all of this project, and for new ones' },
  ],
  async run(input, context) {
    const purge = input.flag('purge');
    if (input.flag('project')) {
      const named = remoteOfProject(input, context);
      return unshareProject(context, named, { purge, isSure: input.flag('yes') });
    }
    const remote = chosenRemote(context, input.argument('remote'));
    const tree = await findTree(context, requireTree(input), 'change');
    const done = await (await context.client()).call('sharing.unshare', { remote, tree: tree.id, purge });
    if (context.json) await context.printJson({ remote, tree: tree.id, ...done });
    else {
      const there = done.purged ? ', and it is deleted there' : '';
      await context.out.write(`${treeWords(tree)} is shared over ${remote} no longer${there}.\n`);
    }
    return EXIT.ok;
  },
});
