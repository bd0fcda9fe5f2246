import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { count } from '../../render/text/ids_and_counts.js';
import { chosenRemote, REMOTE } from '../../sharing/remotes.js';

export const remoteDoctorCommand = command({
  name: 'doctor',
  summary: 'Try what a remote allows.',
  arguments: [REMOTE],
  examples: [{ line: 'cognition remote doctor team', does: 'connects, and says what one may do there' }],
  async run(input, context) {
    const remote = chosenRemote(context, input.argument('remote'));
    const found = await (await context.client()).call('sharing.remote_check', { remote });
    if (context.json) {
      await context.printJson({ remote, ...found });
      return EXIT.ok;
    }
    const lines = [
      `PostgreSQL ${found.server}, ${found.encrypted ? 'encrypted' : 'not encrypted'}`,
      found.version === null ? 'not prepared for sharing' : `version ${found.version}`,
      found.reads ? `you may read${found.writes ? ' and write' : ' only'}` : 'you may not read',
      `${count(found.trees, 'conversation')} of ${count(found.hubs, 'hub')}`,
    ];
    await context.out.write(lines.map((line) => `${line}\n`).join(''));
    return EXIT.ok;
  },
});
