import { realpathSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { cliCommand, hintText } from '../../hub/base/hint.js';
import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { noteReceivedFiles, refuseStopped, withFilesProgress } from '../sharing/files_text.js';
import { chosenRemote } from '../sharing/remotes.js';
import { findRemoteTree, refuseIncomplete, syncTrees } from '../sharing/sync_trees.js';

export const pullCommand = command({
  name: 'pull',
  summary: 'Fetch what others have added to shared conversations, or one that is not here yet.',
  details:
    'A conversation that is fetched is shared from then on. What others have told their models is used here only after a question, and their folders are not taken over.',
  arguments: [
    {
      name: 'remote',
      required: false,
      description: 'a remote, or `remote/conversation` by name or id; all that is shared when left out',
      completes: null,
    },
  ],
  flags: [
    {
      name: 'files',
      short: null,
      description: 'with what was recorded of the project at its messages, also later, for the project that you are in',
    },
  ],
  examples: [
    { line: 'cognition pull', does: 'fetches what is new in all that is shared' },
    { line: 'cognition pull team/trip', does: 'fetches a conversation of the remote' },
    { line: 'cognition pull team/trip --files', does: 'also what the project’s files were, if those are shared' },
  ],
  async run(input, context) {
    const named = input.argument('remote');
    const [name, ...rest] = named?.split('/') ?? [];
    const remote = name === undefined ? undefined : chosenRemote(context, name);
    if (remote === undefined || rest.length === 0) {
      if (input.flag('files')) throw oneAlone();
      return syncTrees(context, remote, { sends: false, fetches: true });
    }
    const client = await context.client();
    const id = await findRemoteTree(context, remote, rest.join('/'));
    const wanted = input.flag('files') ? realpathSync(context.project) : null;
    const { trees, files } = await withFilesProgress(context, id, () =>
      client.call('sharing.sync', { remote, tree: id, sends: false, files: wanted }),
    );
    const tree = await client.call('loom.tree_get', { tree: id }).catch((error: unknown) => {
      refuseIncomplete(remote, trees);
      throw error;
    });
    if (context.json) await context.printJson({ tree, trees, files });
    else {
      const nodes = trees.reduce((sum, { received }) => sum + received, 0);
      await context.out.write(`${shortId(id)}  received ${count(nodes, 'node')}  ${treeWords(tree)}\n`);
      if (wanted !== null) noteReceivedFiles(context, wanted, files);
      context.note(`Go on there: ${hintText([cliCommand('chat', shortId(id))])}`);
    }
    refuseIncomplete(remote, trees);
    refuseStopped(remote, files);
    return EXIT.ok;
  },
});

function oneAlone(): HubError {
  return new HubError('invalid_params', '--files is said of one conversation', {
    hint: 'name it, as in team/trip',
  });
}
