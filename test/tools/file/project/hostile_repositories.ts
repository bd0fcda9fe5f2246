import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const git = (folder: string, ...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });

/** An object that the repository does not have: git fetches it from where the configuration says, and runs what that says. */
const PROMISE = (canary: string) => `[core]
	repositoryformatversion = 1
[extensions]
	partialClone = evil
[remote "evil"]
	url = ext::sh -c touch% ${canary}
	promisor = true
[protocol "ext"]
	allow = always
`;

const PARTIAL = '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = evil\n';

/** Ways in which a repository has git run what its author wants, when its files are listed as we once did. */
export const HOSTILE: Record<string, (folder: string, canary: string) => void> = {
  'a partial clone from a program': (folder, canary) => {
    appendFileSync(join(folder, '.git', 'config'), PROMISE(canary));
    promised(folder);
  },
  'a configuration that is included': (folder, canary) => {
    writeFileSync(join(folder, 'more'), PROMISE(canary));
    git(folder, 'config', 'include.path', '../more');
    appendFileSync(join(folder, '.git', 'config'), PARTIAL);
    promised(folder);
  },
  'a configuration that is included for this folder alone': (folder, canary) => {
    writeFileSync(join(folder, 'more'), PROMISE(canary));
    git(folder, 'config', 'includeIf.gitdir:/**.path', '../more');
    appendFileSync(join(folder, '.git', 'config'), PARTIAL);
    promised(folder);
  },
};

/** Makes a repository with a file `app.ts`, in which git runs a program that makes the canary. */
export function plant(folder: string, canary: string, how: (folder: string, canary: string) => void): void {
  git(folder, 'init');
  writeFileSync(join(folder, 'app.ts'), 'content');
  how(folder, canary);
}

function promised(folder: string): void {
  git(folder, 'update-index', '--add', '--cacheinfo', `100644,${'1'.repeat(40)},.gitignore`);
  git(folder, 'update-index', '--skip-worktree', '.gitignore');
}

/** Lists files as the chat once did; tells whether that made the canary. */
export function listedByGit(folder: string, canary: string): boolean {
  const shared = ['-c', 'core.fsmonitor=false', 'ls-files', '-z'];
  for (const words of [
    ['--cached', '--recurse-submodules'],
    ['-t', '--others', '--deleted', '--exclude-standard'],
  ]) {
    spawnSync('git', [...shared, ...words], { cwd: folder, stdio: 'ignore' });
  }
  return existsSync(canary);
}
