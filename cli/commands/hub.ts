import type { CommandGroup } from '../command_line/command.js';
import { hubDiscoverCommand } from './hub/discover.js';
import { hubLogsCommand } from './hub/logs.js';
import { hubStartCommand } from './hub/start.js';
import { hubStatusCommand } from './hub/status.js';
import { hubStopCommand } from './hub/stop.js';

export const hubGroup: CommandGroup = {
  kind: 'group',
  name: 'hub',
  summary: 'Look after the process that keeps the conversations.',
  details: 'It starts by itself when a command needs it, and ends by itself when nobody has for a while.',
  commands: [hubStartCommand, hubStatusCommand, hubStopCommand, hubLogsCommand, hubDiscoverCommand],
};
