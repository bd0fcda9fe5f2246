import type { CommandGroup } from '../command_line/command.js';
import { gitStatusCommand } from './git/status.js';
import { gitTakeCommand } from './git/take.js';
import { gitUndoCommand } from './git/undo.js';

export const gitGroup: CommandGroup = {
  kind: 'group',
  name: 'git',
  summary: 'See, take and undo what models have committed in this project.',
  details:
    'A model commits in a git folder of its own. What goes forward is taken over at the end of its turn; everything else is kept beside your branches, for you to take.',
  commands: [gitStatusCommand, gitUndoCommand, gitTakeCommand],
};
