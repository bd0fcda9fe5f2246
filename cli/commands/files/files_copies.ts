import { HubError } from '../../../hub/base/error.js';
import type { TurnId } from '../../../hub/protocol/node.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { formatAge } from '../../render/text/age.js';
import { cleanLine } from '../../render/text/clean.js';
import { formatBytes, shortId } from '../../render/text/ids_and_counts.js';

export const filesCopiesCommand = command({
  name: 'copies',
  summary: 'List the copies of projects that turns have worked in, or remove them.',
  details:
    'What was recorded of a copy stays with its branch; only its folder is removed. Nothing removes one by itself; a conversation is purged after its copies.',
  values: [{ name: 'remove', value: 'copy', choices: null, description: 'the beginning of its id, or `all`' }],
  examples: [
    { line: 'cognition files copies', does: 'lists them with size and age' },
    { line: 'cognition files copies --remove all', does: 'removes all that nobody works in' },
  ],
  async run(input, context) {
    const client = await context.client();
    const { copies } = await client.call('files.copy_list', {});
    const wanted = input.value('remove');
    if (wanted !== undefined) {
      const { turns } = await client.call('agent.status', {});
      const isFree = (copy: TurnId): boolean => !turns.some(({ turn }) => turn === copy);
      const doomed = copies.filter(({ turn }) => (wanted === 'all' ? isFree(turn) : turn.startsWith(wanted)));
      if (doomed.length === 0 && wanted !== 'all')
        throw new HubError('not_found', `there is no copy ${JSON.stringify(wanted)}`);
      for (const { turn } of doomed) await client.call('files.copy_remove', { turn });
      await context.out.write(`Removed ${doomed.length === 1 ? '1 copy' : `${doomed.length} copies`}.\n`);
      return EXIT.ok;
    }
    if (context.json) await context.printJson({ copies });
    else if (copies.length === 0) await context.out.write('There are no copies.\n');
    const { nowMs } = await context.look([]);
    for (const { turn, label, project, at_ms: atMs, bytes } of context.json ? [] : copies) {
      const size = bytes === null ? 'gone' : formatBytes(bytes);
      await context.out.write(
        `${shortId(turn)}  ${size}  ${formatAge(atMs, nowMs)}  ${cleanLine(label)}  ${cleanLine(project)}\n`,
      );
    }
    return EXIT.ok;
  },
});
