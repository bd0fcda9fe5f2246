import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { preferenceOf } from '../../../hub/config/config.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { clean } from '../../render/text/clean.js';
import { KEY } from './key.js';

export const configGetCommand = command({
  name: 'get',
  summary: 'Print the value of a preference.',
  arguments: [KEY],
  examples: [{ line: 'cognition config get pager', does: 'prints the command that is used as pager' }],
  async run(input, context) {
    const { key, kind } = preferenceOf(input.required('key'));
    const value = context.preferences.get(key);
    if (kind.type === 'connection' && value === '') {
      throw new HubError('not_found', `${key} is not set`, { hint: [cliCommand('config set', key, '<address>')] });
    }
    if (context.json) await context.printJson(value);
    else await context.out.write(`${clean(value)}\n`);
    return EXIT.ok;
  },
});
