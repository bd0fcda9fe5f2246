import { refuseForeignHome } from '../../../hub/base/disk/home_owner.js';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { environment, preferenceOf, projectConfig, shownValue } from '../../../hub/config/config.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { changePreference } from './change.js';
import { KEY, PROJECT } from './key.js';

export const configSetCommand = command({
  name: 'set',
  summary: 'Set a preference.',
  arguments: [KEY, { name: 'value', required: true, description: 'its new value', completes: null }],
  flags: [PROJECT],
  examples: [
    { line: 'cognition config set color never', does: 'turns colours off' },
    { line: 'cognition config set ascii true --project', does: 'draws with ASCII in this project' },
    {
      line: 'cognition config set postgres.shop "/var/run/postgresql shop"',
      does: 'names a database for queries; passwords are never shown again',
    },
  ],
  async run(input, context) {
    const preference = preferenceOf(input.required('key'));
    const { key } = preference;
    if (input.flag('project') && !preference.project) {
      throw new HubError('invalid_params', `a project cannot set ${key}`, {
        hint: [cliCommand('config set', key, '<value>')],
      });
    }
    const file = input.flag('project') ? projectConfig(context.project) : context.paths.config;
    const value = input.required('value');
    if (!input.flag('project')) refuseForeignHome(context.paths.home, environment('SUDO_UID'));
    await changePreference(file, key, value);
    if (context.json) await context.printJson({ key, value: shownValue(preference, value), file });
    return EXIT.ok;
  },
});
