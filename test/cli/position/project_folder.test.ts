import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectFolder } from '../../../cli/position/project_folder.js';
import { withFolder } from '../../support/hub.js';

const GIT_ENVIRONMENT = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const OTHER_USER = 65_534;

/** Whether git itself opens a work tree around the folder, and which. */
function topOfGit(folder: string): string | null {
  try {
    const options = { encoding: 'utf8' as const, env: GIT_ENVIRONMENT, stdio: 'pipe' as const };
    return execFileSync('git', ['-C', folder, 'rev-parse', '--show-toplevel'], options).trim();
  } catch {
    return null; // it opens none
  }
}

function git(...words: string[]): void {
  execFileSync('git', words, { env: GIT_ENVIRONMENT, stdio: 'ignore' });
}

/** A folder with another one in it, whose project is looked for. */
function withUpper(use: (upper: string, inner: string) => void): Promise<void> {
  return withFolder(async (folder) => {
    const upper = realpathSync(folder);
    const inner = join(upper, 'a', 'b');
    mkdirSync(inner, { recursive: true });
    use(upper, inner);
  });
}

test('a repository further up is the project', () =>
  withUpper((upper, inner) => {
    git('init', upper);
    expect([projectFolder(inner), topOfGit(inner)]).toEqual([upper, upper]);
  }));

test.each([
  ['an empty folder', (at: string) => mkdirSync(at)],
  ['an empty file', (at: string) => writeFileSync(at, '')],
  ['a HEAD alone', (at: string) => made(at, { HEAD: 'ref: refs/heads/main\n' }, [])],
  ['no HEAD', (at: string) => made(at, {}, ['objects', 'refs'])],
  ['a HEAD that says nothing', (at: string) => made(at, { HEAD: 'main\n' }, ['objects', 'refs'])],
  ['refs as a file', (at: string) => made(at, { HEAD: 'ref: refs/heads/main\n', refs: '' }, ['objects'])],
  ['a gitfile that leads nowhere', (at: string) => writeFileSync(at, 'gitdir: /nowhere\n')],
  ['a gitfile of many bytes', (at: string) => writeFileSync(at, `gitdir: ${'x'.repeat(2_000_000)}`)],
  ['a link that leads nowhere', (at: string) => symlinkSync('/nowhere', at)],
])('%s as .git further up widens nothing', (_, plant) =>
  withUpper((upper, inner) => {
    plant(join(upper, '.git'));
    expect([projectFolder(inner), topOfGit(inner)]).toEqual([inner, null]);
  }),
);

test('linked work trees, submodules, a HEAD on a commit and a HEAD that is a link are repositories', () =>
  withUpper((upper, inner) => {
    git('init', '-b', 'main', join(upper, 'main'));
    git('-C', join(upper, 'main'), '-c', 'user.name=a', '-c', 'user.email=b', 'commit', '--allow-empty', '-m', 'one');
    git('-C', join(upper, 'main'), 'worktree', 'add', '--detach', inner);
    git('init', '--separate-git-dir', join(upper, 'apart'), join(upper, 'sub'));
    made(join(upper, 'old/.git'), {}, ['objects', 'refs/heads']);
    symlinkSync('refs/heads/main', join(upper, 'old/.git/HEAD'));
    for (const folder of [inner, join(upper, 'sub'), join(upper, 'old')]) {
      mkdirSync(join(folder, 'deep'));
      expect([projectFolder(join(folder, 'deep')), topOfGit(join(folder, 'deep'))]).toEqual([folder, folder]);
    }
  }));

test.runIf(process.getuid?.() === 0)("another person's repository further up is not the project", () =>
  withUpper((upper, inner) => {
    git('init', upper);
    chownSync(join(upper, '.git'), OTHER_USER, OTHER_USER);
    expect([projectFolder(inner), topOfGit(inner)]).toEqual([inner, null]);
  }),
);

test('a repository of the home folder is the project there, and nowhere below', () =>
  withUpper((upper, inner) => {
    const { HOME } = process.env;
    onTestFinished(() => {
      process.env.HOME = HOME;
    });
    process.env.HOME = join(upper, 'a');
    git('init', join(upper, 'a'));
    expect([projectFolder(inner), topOfGit(inner)]).toEqual([inner, join(upper, 'a')]);
    expect(projectFolder(join(upper, 'a'))).toBe(join(upper, 'a'));
    rmSync(join(upper, 'a/.git'), { recursive: true });
    git('init', upper);
    expect(projectFolder(inner)).toBe(inner);
  }));

function made(at: string, files: Record<string, string>, folders: readonly string[]): void {
  for (const name of folders) mkdirSync(join(at, name), { recursive: true });
  mkdirSync(at, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
}
