import { refuseForeignHome } from '../../../hub/base/disk/home_owner.js';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { environment, preferenceOf, shownValue } from '../../../hub/config/config.js';
import { command } from '../../command_line/command.js';
import { ask } from '../../input/ask_person.js';
import { EXIT } from '../../output/failure.js';
import { changePreference } from '../config/change.js';

export const remoteAddCommand = command({
  name: 'add',
  summary: 'Give a remote a name here.',
  details: 'Without an address it asks for it, so that a password stands in no history of a shell.',
  arguments: [
    { name: 'name', required: true, description: 'what to call it: small letters, digits, - and _', completes: null },
    { name: 'address', required: false, description: 'of a PostgreSQL database', completes: null },
  ],
  examples: [
    { line: 'cognition remote add team', does: 'asks for the address' },
    { line: 'cognition remote add team "/var/run/postgresql trees"', does: 'names a database on this machine' },
  ],
  async run(input, context) {
    const name = input.required('name');
    if (!/^[a-z][a-z0-9_-]{0,62}$/.test(name)) {
      throw new HubError('invalid_params', `${JSON.stringify(name)} is no name for a remote`, {
        hint: 'it has small letters, digits, - and _ only, and begins with a letter',
      });
    }
    const preference = preferenceOf(`remote.${name}`);
    const address = input.argument('address') ?? (await ask(context, `The address of ${name}: `));
    refuseForeignHome(context.paths.home, environment('SUDO_UID'));
    await changePreference(context.paths.config, preference.key, address.trim());
    const shown = shownValue(preference, address.trim());
    if (context.json) await context.printJson({ name, address: shown });
    else await context.out.write(`${name} is ${shown}.\n`);
    context.note(['Whoever owns the database prepares it once: ', cliCommand('remote init', name)]);
    return EXIT.ok;
  },
});
