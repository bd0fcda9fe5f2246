import { realpathSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { workFolder } from '../position/project_folder.js';
import { findTree } from '../position/reference.js';
import { count } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { noteSentFiles, refuseStopped, withFilesProgress } from '../sharing/files_text.js';
import { chosenRemote, REMOTE } from '../sharing/remotes.js';
import { PROJECT_FLAG, remoteOfProject, requireTree, shareProject } from '../sharing/share_project.js';

export const shareCommand = command({
  name: 'share',
  summary: 'Share a conversation over a remote with its sub-sessions, or all of a project.',
  details:
    'All of it is sent: messages, what commands have printed, images, marks, what models were told. Your keys, your folders and the files of projects are not; with --files what is recorded of the project at its messages goes along, now and from then on, without what git ignores. Whoever may read the remote can read it; who may write there can add branches. `cognition sync` takes over what comes later. With --project all that is private in the project is named first, and asked about; what is archived, imported or copied from a private one stays here.',
  arguments: [{ ...TREE, required: false }, REMOTE],
  flags: [
    { name: 'files', short: null, description: 'with what is recorded of the project at its messages, also later' },
    PROJECT_FLAG,
    { name: 'yes', short: null, description: 'with --project: do not ask' },
  ],
  examples: [
    { line: 'cognition share @', does: 'shares the current conversation over the only remote' },
    { line: 'cognition share trip team', does: 'shares that one over the remote team' },
    { line: 'cognition share @ --files', does: 'others can go to its places with the files that it had there' },
    { line: 'cognition share --project team', does: 'shares all of this project over team, after asking' },
  ],
  async run(input, context) {
    if (input.flag('project') && input.flag('files')) {
      throw new HubError('invalid_params', 'files go along with one conversation at a time, not with --project', {
        hint: ['afterwards: ', cliCommand('share', '@', '--files')],
      });
    }
    if (input.flag('project')) return shareProject(context, remoteOfProject(input, context), input.flag('yes'));
    const remote = chosenRemote(context, input.argument('remote'));
    const tree = await findTree(context, requireTree(input), 'change');
    const files = input.flag('files') ? realpathSync(workFolder(tree, context.project)) : null;
    const client = await context.client();
    const shared = await withFilesProgress(context, tree.id, () =>
      client.call('sharing.share', { remote, tree: tree.id, files }),
    );
    if (context.json) await context.printJson({ remote, tree: tree.id, ...shared });
    else {
      const others = shared.trees > 1 ? ` with ${count(shared.trees - 1, 'sub-session')}` : '';
      await context.out.write(
        `Shared ${treeWords(tree)}${others} over ${remote}: sent ${count(shared.sent, 'piece')}.\n`,
      );
    }
    if (files !== null && !context.json) noteSentFiles(context, files, shared.files);
    refuseStopped(remote, shared.files);
    return EXIT.ok;
  },
});
