import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config/config.js';

/** Whether an earlier hub was killed in what only the tools can end: commands, exchanges, or a change of somebody's repository. */
export function hasLeftWork({ home, commands, agentRuns }: HomePaths): boolean {
  return hasEntries(commands) || hasEntries(agentRuns) || hasPendingChange(join(home, 'git'));
}

function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** A change that had begun may hold the index of a repository: its owner's git would refuse to work. */
function hasPendingChange(privateGit: string): boolean {
  if (!existsSync(privateGit)) return false;
  return readdirSync(privateGit).some((name) => {
    const journal = join(privateGit, name, 'journal.json');
    const isFile = statSync(journal, { throwIfNoEntry: false })?.isFile() === true;
    return isFile && /^\{"pending":\{/.test(readFileSync(journal, 'utf8'));
  });
}
