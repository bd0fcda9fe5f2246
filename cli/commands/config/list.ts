import { cliCommand } from '../../../hub/base/hint.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { cleanLine } from '../../render/text/clean.js';
import { columns } from '../../render/text/columns.js';

export const configListCommand = command({
  name: 'list',
  summary: 'List all preferences with their values.',
  flags: [
    { name: 'show-origin', short: null, description: 'where each value comes from' },
    { name: 'set', short: null, description: 'only those that are set, and where' },
  ],
  examples: [{ line: 'cognition config list --show-origin', does: 'tells also which file or variable decides' }],
  async run(input, context) {
    const isOfSet = input.flag('set');
    const wanted = context.preferences.all.filter(({ origin }) => !isOfSet || origin !== 'default');
    const all = wanted.map(({ preference, value, origin, from }) => ({
      key: preference.key,
      value,
      origin,
      from,
      description: preference.description,
    }));
    if (context.json) {
      await context.printJson(all);
      return EXIT.ok;
    }
    const withOrigin = isOfSet || input.flag('show-origin');
    const rows = all.map(({ key, value, origin, from, description }) => [
      cleanLine(`${key} = ${value}`),
      cleanLine(withOrigin ? `${origin}${from === null ? '' : `: ${from}`}` : description),
    ]);
    const look = await context.look(rows.flat());
    await context.out.write(
      columns(rows, look)
        .map((line) => `${line}\n`)
        .join(''),
    );
    if (isOfSet) {
      const begin = all.length === 0 ? 'Nothing is set. ' : '';
      context.note([`${begin}To set one: `, cliCommand('config set', '<key>', '<value>')]);
      context.note(['All of them, with what they mean: ', cliCommand('config list')]);
    }
    return EXIT.ok;
  },
});
