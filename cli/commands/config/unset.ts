import { refuseForeignHome } from '../../../hub/base/disk/home_owner.js';
import { environment, preferenceOf, projectConfig } from '../../../hub/config/config.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { changePreference } from './change.js';
import { KEY, PROJECT } from './key.js';

export const configUnsetCommand = command({
  name: 'unset',
  summary: 'Go back to the default of a preference.',
  arguments: [KEY],
  flags: [PROJECT],
  examples: [{ line: 'cognition config unset color', does: 'lets the terminal decide on colours again' }],
  async run(input, context) {
    const { key } = preferenceOf(input.required('key'));
    const file = input.flag('project') ? projectConfig(context.project) : context.paths.config;
    if (!input.flag('project')) refuseForeignHome(context.paths.home, environment('SUDO_UID'));
    await changePreference(file, key, null);
    if (context.json) await context.printJson({ key, value: null, file });
    return EXIT.ok;
  },
});
