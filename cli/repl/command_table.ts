import { agentsCommand } from './commands/agents.js';
import { answerCommand } from './commands/answer.js';
import { backCommand } from './commands/back.js';
import { branchesCommand } from './commands/branches.js';
import { compactCommand } from './commands/compact.js';
import {
  compareCommand,
  contextCommand,
  costCommand,
  exportCommand,
  listCommand,
  logCommand,
  markCommand,
} from './commands/delegated.js';
import { forkCommand } from './commands/fork.js';
import { type CommandSection, helpCommand } from './commands/help.js';
import { leavesCommand } from './commands/leaves.js';
import { quitCommand } from './commands/leaving.js';
import { levelCommand, modelCommand, reloadCommand } from './commands/models.js';
import { clearCommand, editPlanCommand, executeCommand, planCommand } from './commands/plan.js';
import { retryCommand } from './commands/retry.js';
import { searchCommand } from './commands/search.js';
import { gotoCommand, switchCommand } from './commands/switch.js';
import { copyCommand, outputCommand } from './commands/texts.js';
import { treeCommand } from './commands/tree.js';
import { newCommand, renameCommand, useCommand } from './commands/trees.js';
import { queueCommand, stopCommand } from './commands/turns.js';
import type { ReplCommand } from './repl.js';

/** Every command of the REPL, as help lists them. */
const SECTIONS: readonly CommandSection[] = [
  {
    title: 'Branches',
    commands: [
      ...[forkCommand, backCommand, switchCommand, gotoCommand, branchesCommand, leavesCommand, treeCommand],
      ...[compareCommand, searchCommand, markCommand, clearCommand],
    ],
  },
  {
    title: 'The model',
    commands: [
      ...[retryCommand, stopCommand, answerCommand, queueCommand],
      ...[modelCommand, levelCommand, compactCommand, reloadCommand, agentsCommand, costCommand],
    ],
  },
  { title: 'Plans', commands: [planCommand, editPlanCommand, executeCommand] },
  { title: 'Texts', commands: [contextCommand, outputCommand, copyCommand, exportCommand, logCommand] },
  {
    title: 'Conversations',
    commands: [newCommand, useCommand, listCommand, renameCommand, helpCommand(() => SECTIONS), quitCommand],
  },
];

export const REPL_COMMANDS: readonly ReplCommand[] = SECTIONS.flatMap(({ commands }) => commands);
