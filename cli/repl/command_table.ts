import { agentsCommand } from './commands/agents.js';
import { answerCommand } from './commands/answer.js';
import { backCommand } from './commands/back.js';
import { branchesCommand } from './commands/branches.js';
import { compactCommand } from './commands/compact.js';
import { DELEGATED_COMMANDS } from './commands/delegated.js';
import { forkCommand } from './commands/fork.js';
import { helpCommand } from './commands/help.js';
import { leavesCommand } from './commands/leaves.js';
import { quitCommand } from './commands/leaving.js';
import { levelCommand, modelCommand, reloadCommand } from './commands/models.js';
import { clearCommand, editPlanCommand, executeCommand, planCommand } from './commands/plan.js';
import { retryCommand } from './commands/retry.js';
import { searchCommand } from './commands/search.js';
import { gotoCommand, switchCommand } from './commands/switch.js';
import { copyCommand, outputCommand } from './commands/texts.js';
import { newCommand, useCommand } from './commands/trees.js';
import { queueCommand, stopCommand } from './commands/turns.js';
import type { ReplCommand } from './repl.js';

/** Every command of the REPL, in the order in which help lists them. */
export const REPL_COMMANDS: readonly ReplCommand[] = [
  ...[forkCommand, backCommand, branchesCommand, switchCommand, leavesCommand, gotoCommand],
  ...DELEGATED_COMMANDS,
  ...[searchCommand, newCommand, useCommand, retryCommand, stopCommand, answerCommand],
  ...[clearCommand, planCommand, editPlanCommand, executeCommand],
  ...[modelCommand, levelCommand, reloadCommand, compactCommand, agentsCommand, copyCommand, outputCommand],
  ...[helpCommand(() => REPL_COMMANDS), quitCommand, queueCommand],
];
