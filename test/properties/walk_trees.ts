import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { pin, unpin } from '../../tools/walk/pinned_folder.js';
import { walkFolder } from '../../tools/walk/walk_folder.js';

/** Numbers in [0, 1). */
export type Random = () => number;

// Byte strings, as names on the disk are.
const NAMES = [
  'a',
  'b',
  'ab',
  'a.b',
  'x.log',
  'é',
  '!a',
  '#a',
  'a b',
  'b ',
  '[a]',
  '{a,b}',
  '(a)',
  '+',
  '$',
  '-',
  '\\',
  '\xc3\xa9',
  '\xff',
  '.a',
];
const ATOMS = [
  ...[
    'a',
    'b',
    'ab',
    '*',
    '?',
    '[ab]',
    '[!a]',
    '[^a]',
    '[a-c]',
    '[a-]',
    '[]a]',
    '[\\]a]',
    '[[:alpha:]]',
    '[![:alnum:]]',
    '[[:x:]]',
  ],
  ...[
    '\\*',
    '\\!',
    '\\#',
    '\\a',
    '\xc3\xa9',
    '\xe9',
    '\xff',
    ' ',
    '\\ ',
    '.',
    '*.b',
    '*.log',
    'a*',
    '[a',
    '{a,b}',
    '(a)',
    '+',
    '$',
    '\\\\',
  ],
];

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const times = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, make);
const bytes = (path: string): Buffer => Buffer.from(path, 'latin1');

function randomPattern(random: Random): string {
  const part = (): string =>
    random() < 0.15 ? '**' : pick(random, ATOMS) + (random() < 0.3 ? pick(random, ATOMS) : '');
  const middle = [part(), ...times(random, 2, part)].join('/');
  const chance = (text: string, share: number): string => (random() < share ? text : '');
  return chance('!', 0.25) + chance('/', 0.3) + middle + chance('/', 0.3) + chance('  ', 0.1) + chance('\r', 0.05);
}

const ignoreFile = (random: Random): Buffer =>
  bytes(`${random() < 0.1 ? '\xef\xbb\xbf' : ''}${times(random, 5, () => randomPattern(random)).join('\n')}\n# end`);

const ENVIRONMENT = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

/** Runs git in a folder, with nothing of the person's own. */
function git(folder: string, ...words: string[]): Buffer {
  return execFileSync('git', words, {
    cwd: folder,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1e9,
  });
}

/** Makes a repository of random files, rules and tracked paths; some of its folders are repositories themselves. */
export function growRepository(top: string, random: Random, depth = 0): void {
  git(top, 'init', '-q');
  const folders = [''];
  for (const name of times(random, 8, () => pick(random, NAMES))) {
    const folder = `${pick(random, folders)}${name}/`;
    mkdirSync(bytes(`${top}/${folder}`), { recursive: true });
    if (!folders.includes(folder)) folders.push(folder);
  }
  const files = times(random, 40, () => `${pick(random, folders)}${pick(random, NAMES)}`).filter((path) =>
    put(top, path, random),
  );
  const tracked = files.filter(() => random() < 0.3);
  const list = `${top}/.git/tracked`;
  writeFileSync(list, bytes(tracked.join('\0')));
  git(top, 'update-index', '--index-version', String(pick(random, [2, 4])));
  if (tracked.length > 0)
    git(top, 'add', '-f', `--pathspec-from-file=${list}`, '--pathspec-file-nul', '--ignore-errors');
  if (random() < 0.2) git(top, 'update-index', '--split-index');
  for (const path of tracked) if (random() < 0.2) rmSync(bytes(`${top}/${path}`), { force: true });
  for (const folder of folders)
    if (random() < 0.3) writeFileSync(bytes(`${top}/${folder}.gitignore`), ignoreFile(random));
  if (random() < 0.5) writeFileSync(`${top}/.git/info/exclude`, ignoreFile(random));
  if (depth > 0 || random() < 0.6) return;
  mkdirSync(`${top}/nested`);
  growRepository(`${top}/nested`, random, depth + 1);
}

function put(top: string, path: string, random: Random): boolean {
  try {
    if (random() < 0.15) symlinkSync(bytes(pick(random, ['.', '..', 'a', '/'])), bytes(`${top}/${path}`));
    else writeFileSync(bytes(`${top}/${path}`), 'content', { flag: 'wx' });
    return true;
  } catch {
    return false; // there is something of that name
  }
}

/** What git lists below a folder and the repositories in it, of that which is there. */
export function listedByGit(folder: string): string[] {
  const paths = git(folder, 'ls-files', '-coz', '--exclude-standard').toString('latin1').split('\0').slice(0, -1);
  const found = [...new Set(paths)].flatMap((path) => {
    const whole = `${folder}/${path}`.replace(/\/$/, '');
    const stats = lstatSync(bytes(whole), { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return stats === undefined ? [] : [path];
    if (!path.endsWith('/')) return []; // a tracked file that became a folder
    return listedByGit(whole).map((inner) => `${path}${inner}`);
  });
  return found.sort();
}

/** Whether a folder is ignored, whatever is tracked in it. */
export function isIgnoredByGit(top: string, name: string): boolean {
  return (
    spawnSync('git', ['check-ignore', '-q', '--no-index', '--', name], { cwd: top, env: ENVIRONMENT }).status === 0
  );
}

export function listedByWalk(top: string, start: readonly string[] = []): string[] {
  const entry = pin(top);
  if (entry === null) return [];
  const found: string[] = [];
  try {
    const options = { start, ownIgnoreFile: null, skipped: new Set<string>(), known: null, skip: () => null };
    for (const folder of walkFolder(entry, options)) {
      if (folder === null) continue;
      for (const name of [...folder.files, ...folder.links]) found.push([...folder.names, name].join('/'));
    }
    return found.sort();
  } finally {
    unpin(entry);
  }
}
