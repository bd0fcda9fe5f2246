import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { formatAge } from '../../render/text/age.js';
import { cleanLine } from '../../render/text/clean.js';

const SHOWN_MAX = 20;

export const gitStatusCommand = command({
  name: 'status',
  summary: 'Show what was taken over of the commits of models, and what is kept.',
  examples: [{ line: 'cognition git status', does: 'lists the newest of both' }],
  async run(_input, context) {
    const client = await context.client();
    const status = await client.call('git.status', { project: context.project });
    if (context.json) await context.printJson(status);
    else await context.out.write(statusText(status, (await context.look([])).nowMs));
    return EXIT.ok;
  },
});

function statusText({ taken, kept, problem }: ResultOf<'git.status'>, nowMs: number): string {
  const lines = [
    ...(problem === null ? [] : [`Git is read-only for models here: ${problem}.`]),
    ...taken
      .slice(-SHOWN_MAX)
      .map(
        ({ at_ms, text, undone }) =>
          `${formatAge(at_ms, nowMs)}  ${text}${undone && !text.startsWith('undone') ? ' (undone)' : ''}`,
      ),
    ...kept.slice(-SHOWN_MAX).map(({ name, commit }) => `kept  ${name}  ${commit.slice(0, 12)}`),
  ];
  if (lines.length === 0) return 'Models have committed nothing here.\n';
  return lines.map((line) => `${cleanLine(line)}\n`).join('');
}
