import { cliCommand } from '../../../hub/base/hint.js';
import { preferenceOf, readPreferences, shownValue } from '../../../hub/config/config.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { count } from '../../render/text/ids_and_counts.js';

export const remoteListCommand = command({
  name: 'list',
  summary: 'List the remotes, and how many conversations are shared over each.',
  examples: [{ line: 'cognition remote list', does: 'lists them; passwords are not shown' }],
  async run(_, context) {
    const { remotes } = readPreferences({ home: context.paths.home, project: null, flags: {} });
    const { shares } = await (await context.client()).call('sharing.list', {});
    const rows = [...remotes].map(([name, address]) => {
      const own = shares.filter(({ remote }) => remote === name);
      const behind = own.filter(({ sent, tree }) => tree.last_seq > sent).length;
      return {
        name,
        address: shownValue(preferenceOf(`remote.${name}`), address),
        shared: own.length,
        to_send: behind,
      };
    });
    if (context.json) await context.printJson({ remotes: rows });
    for (const { name, address, shared, to_send: behind } of context.json ? [] : rows) {
      const rest = behind === 0 ? '' : `, ${behind} to send`;
      await context.out.write(`${name}  ${address}  ${count(shared, 'conversation')}${rest}\n`);
    }
    if (rows.length === 0) context.note(['There is no remote. Name one with: ', cliCommand('remote add', 'team')]);
    return EXIT.ok;
  },
});
