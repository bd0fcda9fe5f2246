import type { ReplCommand } from '../repl.js';
import { agentsCommand } from './agents.js';
import { answerCommand } from './answer.js';
import { consultCommand, groupCommand } from './ask_other_models.js';
import { backCommand } from './back.js';
import { branchesCommand } from './branches.js';
import {
  compareCommand,
  contextCommand,
  costCommand,
  exportCommand,
  gitCommand,
  jobsCommand,
  listCommand,
  logCommand,
  markCommand,
  permissionsCommand,
} from './cli_commands.js';
import { compactCommand } from './compact.js';
import { newCommand, renameCommand, useCommand } from './conversations.js';
import { copyCommand, outputCommand } from './copy_and_output.js';
import { diffCommand, filesCommand } from './files.js';
import { forkCommand } from './fork.js';
import { type CommandSection, helpCommand } from './help.js';
import { leavesCommand } from './leaves.js';
import { levelCommand, modelCommand, reloadCommand, webCommand } from './model_and_level.js';
import { clearCommand, editPlanCommand, executeCommand, planCommand } from './plan.js';
import { quitCommand } from './quit.js';
import { mergeCommand, raceCommand, takeCommand } from './race.js';
import { resetCommand } from './reset.js';
import { retryCommand } from './retry.js';
import { searchCommand } from './search.js';
import { queueCommand, stopCommand } from './stop_and_queue.js';
import { followCommand, gotoCommand, switchCommand } from './switch.js';
import { thinkingCommand } from './thinking.js';
import { treeCommand } from './tree.js';
import { undoCommand } from './undo.js';
import { workCommand } from './work.js';

/** Every command of the REPL, as help lists them. */
const SECTIONS: readonly CommandSection[] = [
  {
    title: 'Branches',
    commands: [
      ...[forkCommand, backCommand, switchCommand, gotoCommand, branchesCommand, leavesCommand, treeCommand],
      ...[
        undoCommand,
        raceCommand,
        takeCommand,
        mergeCommand,
        diffCommand,
        compareCommand,
        searchCommand,
        markCommand,
        clearCommand,
        followCommand,
      ],
    ],
  },
  {
    title: 'The model',
    commands: [
      ...[retryCommand, stopCommand, answerCommand, queueCommand],
      ...[modelCommand, levelCommand, webCommand, thinkingCommand, compactCommand, reloadCommand],
      ...[workCommand, consultCommand, groupCommand, agentsCommand, jobsCommand, permissionsCommand, costCommand],
    ],
  },
  { title: 'Plans', commands: [planCommand, editPlanCommand, executeCommand] },
  {
    title: 'Texts',
    commands: [
      contextCommand,
      outputCommand,
      copyCommand,
      exportCommand,
      logCommand,
      filesCommand,
      gitCommand,
      resetCommand,
    ],
  },
  {
    title: 'Conversations',
    commands: [newCommand, useCommand, listCommand, renameCommand, helpCommand(() => SECTIONS), quitCommand],
  },
];

export const REPL_COMMANDS: readonly ReplCommand[] = SECTIONS.flatMap(({ commands }) => commands);
