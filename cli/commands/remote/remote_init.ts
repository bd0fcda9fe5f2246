import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { chosenRemote, REMOTE } from '../../sharing/remotes.js';

export const remoteInitCommand = command({
  name: 'init',
  summary: 'Prepare the database of a remote for sharing, or bring it up to date.',
  details:
    'Makes the schema cognition, and the roles cognition_reader and cognition_writer where your login may make roles: GRANT them to the logins of others. Twice is once.',
  arguments: [REMOTE],
  examples: [{ line: 'cognition remote init team', does: 'prepares it' }],
  async run(input, context) {
    const remote = chosenRemote(context, input.argument('remote'));
    const done = await (await context.client()).call('sharing.remote_init', { remote });
    if (context.json) await context.printJson({ remote, ...done });
    else {
      const roles = done.roles.length === 0 ? 'no roles: your login may make none' : `roles ${done.roles.join(', ')}`;
      await context.out.write(
        `${remote} ${done.made ? 'is prepared' : 'was prepared already'} (version ${done.version}, ${roles}).\n`,
      );
    }
    return EXIT.ok;
  },
});
