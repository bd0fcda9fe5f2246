import { command } from '../command_line/command.js';
import { chosenRemote, REMOTE } from '../sharing/remotes.js';
import { syncTrees } from '../sharing/sync_trees.js';

export const syncCommand = command({
  name: 'sync',
  summary: 'Send what is new in shared conversations, and fetch what others have added.',
  details:
    'Nothing is ever overwritten: where two have gone on from one message there are two branches. Of a name or a mark the later one counts. What cannot be sent now is sent next time.',
  arguments: [{ ...REMOTE, description: 'what the remote is called here; all of them when left out' }],
  examples: [
    { line: 'cognition sync', does: 'takes over all that is shared, each way' },
    { line: 'cognition sync team', does: 'the same with one remote' },
  ],
  async run(input, context) {
    const named = input.argument('remote');
    const remote = named === undefined ? undefined : chosenRemote(context, named);
    return syncTrees(context, remote, { sends: true, fetches: true });
  },
});
