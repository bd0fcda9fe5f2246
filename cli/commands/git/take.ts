import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { cleanLine } from '../../render/text/clean.js';

export const gitTakeCommand = command({
  name: 'take',
  summary: 'Set a branch to what is kept of a model.',
  details:
    'Your branch goes where that of the model is, also back or aside: cognition git undo brings it back. Without a branch it makes the repository that a model has made for itself.',
  arguments: [{ name: 'branch', required: false, description: 'the branch, as it was told', completes: null }],
  examples: [{ line: 'cognition git take main', does: 'takes what a model rewrote' }],
  async run(input, context) {
    const client = await context.client();
    const branch = input.argument('branch') ?? null;
    const result = await client.call('git.take', { project: context.project, branch });
    if (context.json) await context.printJson(result);
    else await context.out.write(`${cleanLine(result.text)}\n`);
    return EXIT.ok;
  },
});
