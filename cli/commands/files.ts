import type { CommandGroup } from '../command_line/command.js';
import { filesCopiesCommand } from './files/files_copies.js';
import { filesDiffCommand } from './files/files_diff.js';
import { filesRestoreCommand } from './files/files_restore.js';
import { filesStatusCommand } from './files/files_status.js';
import { filesUndoCommand } from './files/files_undo.js';

export const filesGroup: CommandGroup = {
  kind: 'group',
  name: 'files',
  summary: 'See and bring back the files of this project as they were at a node.',
  details:
    'They are recorded before a model changes something, after each of its steps that may have, and after each command of yours, unless the preference files.record is off. What git ignores is not recorded and never touched, nor is .git.',
  commands: [filesStatusCommand, filesDiffCommand, filesRestoreCommand, filesUndoCommand, filesCopiesCommand],
};
