import type { CommandGroup } from '../command_line/command.js';
import { remoteAddCommand } from './remote/remote_add.js';
import { remoteDoctorCommand } from './remote/remote_doctor.js';
import { remoteInitCommand } from './remote/remote_init.js';
import { remoteListCommand } from './remote/remote_list.js';
import { remoteRemoveCommand } from './remote/remote_remove.js';

export const remoteGroup: CommandGroup = {
  kind: 'group',
  name: 'remote',
  summary: 'Name the PostgreSQL databases that conversations are shared over.',
  details:
    'Each hub keeps its conversations; the database only stands between. Its address stays in your own configuration, and its password is shown nowhere.',
  alone: ['list'],
  commands: [remoteAddCommand, remoteInitCommand, remoteListCommand, remoteDoctorCommand, remoteRemoveCommand],
};
