import type { CommandGroup } from '../command_line/command.js';
import { configGetCommand } from './config/get.js';
import { configListCommand } from './config/list.js';
import { configSetCommand } from './config/set.js';
import { configUnsetCommand } from './config/unset.js';

export const configGroup: CommandGroup = {
  kind: 'group',
  name: 'config',
  summary: 'Read and write preferences.',
  details:
    'An option on the command line wins over the environment, that over the project, that over your own file, that over the default. Alone it lists what is set.',
  alone: ['list', '--set'],
  commands: [configListCommand, configGetCommand, configSetCommand, configUnsetCommand],
};
