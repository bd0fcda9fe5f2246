import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateGit, type PrivateGit } from '../../../tools/private_git/private_git.js';
import { takeOver } from '../../../tools/private_git/take_over.js';
import { findSandbox } from '../../../tools/sandbox/forms/sandbox.js';

const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
const NAMES = 'GIT_AUTHOR_NAME=m GIT_AUTHOR_EMAIL=m@m GIT_COMMITTER_NAME=m GIT_COMMITTER_EMAIL=m@m';

export interface ModelGit {
  folder: string;
  project: string;
  home: string;
  privateGit: PrivateGit;
  /** Runs a command as a model; fails when it fails. Returns what it printed. */
  model(command: string): Promise<string>;
  /** Takes over what the model has committed; returns what the person is told. */
  take(): Promise<string[]>;
  /** Runs git as the person, in their project. */
  person(...given: string[]): string;
  write(name: string, text: string): void;
  has(name: string): boolean;
}

/** A model that works in the project of a folder, whose real path is given. */
export function openModelGit(folder: string, kind: 'bubblewrap' | 'util-linux'): ModelGit {
  const at = (name: string): string => join(folder, name);
  const [project, home, tmp] = [at('project'), at('home'), at('tmp')];
  for (const path of [project, home, tmp, at('home/kept')]) mkdirSync(path, { recursive: true });
  const machine = { userHome: home, cognitionHome: at('home/kept'), commands: at('home/kept/commands'), path: PATH };
  const log = (_level: string, message: string): void => console.error(message);
  const sandbox = findSandbox({ machine, log }, { only: kind });
  const privateGit = createPrivateGit({ sandbox, machine, log });
  const policy = { kind: 'contained' as const, network: false, writable: [project], readable: null };
  return {
    ...{ folder, project, home, privateGit, has: (name) => existsSync(join(project, name)) },
    person: (...words) => personGit(project, home, words),
    write: (name, text) => writeFileSync(join(project, name), text),
    take: () => privateGit.withProject(project, takeOver),
    async model(command) {
      const overlays = await privateGit.overlays(policy);
      const wrapped = await sandbox.wrap({
        ...{ program: 'bash', arguments: ['-c', `export ${NAMES}\n${command}`], cwd: project, tmp, policy, overlays },
      });
      try {
        return await printed(wrapped.program, wrapped.arguments, home);
      } finally {
        wrapped.release();
      }
    },
  };
}

function personGit(project: string, home: string, words: readonly string[]): string {
  return execFileSync('git', ['-C', project, ...words], {
    encoding: 'utf8',
    env: {
      ...{ PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' },
      ...{ GIT_AUTHOR_NAME: 'p', GIT_AUTHOR_EMAIL: 'p@p', GIT_COMMITTER_NAME: 'p', GIT_COMMITTER_EMAIL: 'p@p' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function printed(program: string, given: readonly string[], home: string): Promise<string> {
  const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME: home } });
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${code}: ${out}${errors}`))));
  });
}
