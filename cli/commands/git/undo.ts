import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { cleanLine } from '../../render/text/clean.js';

export const gitUndoCommand = command({
  name: 'undo',
  summary: 'Take back what was taken over last.',
  details:
    'Branches, HEAD and index go back; files stay as they are. The commits are kept: take them again with cognition git take.',
  examples: [{ line: 'cognition git undo', does: 'takes back the newest' }],
  async run(_input, context) {
    const client = await context.client();
    const result = await client.call('git.undo', { project: context.project });
    if (context.json) await context.printJson(result);
    else await context.out.write(`${cleanLine(result.text)}\n`);
    return EXIT.ok;
  },
});
