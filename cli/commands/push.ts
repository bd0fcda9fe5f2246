import { command } from '../command_line/command.js';
import { chosenRemote, REMOTE } from '../sharing/remotes.js';
import { syncTrees } from '../sharing/sync_trees.js';

export const pushCommand = command({
  name: 'push',
  summary: 'Send what is new in shared conversations.',
  arguments: [{ ...REMOTE, description: 'what the remote is called here; all of them when left out' }],
  examples: [{ line: 'cognition push', does: 'sends what the remotes lack' }],
  async run(input, context) {
    const named = input.argument('remote');
    const remote = named === undefined ? undefined : chosenRemote(context, named);
    return syncTrees(context, remote, { sends: true, fetches: false });
  },
});
