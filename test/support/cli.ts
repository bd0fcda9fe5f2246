import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { withHome } from './hub.js';

/** The built program that tests run. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cognition.cjs', import.meta.url));

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  input?: string | Uint8Array;
  env?: Record<string, string>;
  /** Another folder to be in. */
  folder?: string;
}

export interface TestCli {
  home: string;
  /** A folder to work in, outside any repository. */
  folder: string;
  run(words: readonly string[], surroundings?: Surroundings): Promise<Ran>;
  /** Runs a command that must succeed, and returns its output. */
  print(...words: string[]): Promise<string>;
  /** The same with --json; the caller checks the output. */
  json(...words: string[]): Promise<unknown>;
}

/** Runs a test with the real program on an empty home; its hub is killed afterwards. */
export function withCli<T>(use: (cli: TestCli) => Promise<T>): Promise<T> {
  return withHome(async (home) => {
    const folder = join(dirname(home), 'work');
    for (const path of [folder, userHomeBeside(folder)]) mkdirSync(path);
    const run = (words: readonly string[], surroundings: Surroundings = {}) =>
      runProgram(words, {
        folder: surroundings.folder ?? folder,
        env: { HOME: userHomeBeside(folder), COGNITION_HOME: home, ...surroundings.env },
        input: surroundings.input ?? '',
      });
    const print = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(words);
      if (code !== 0) throw new Error(`cognition ${words.join(' ')} exits ${code}: ${stderr}`);
      return stdout;
    };
    return use({ home, folder, run, print, json: async (...words) => readJson(await print(...words, '--json')) });
  });
}

/** Runs a command that must succeed on a home that is there; returns its output. */
export async function runWords(home: string, words: readonly string[]): Promise<string> {
  const folder = dirname(home);
  const { code, stdout, stderr } = await runProgram(words, {
    folder,
    env: { COGNITION_HOME: home, HOME: folder },
    input: '',
  });
  if (code !== 0) throw new Error(`cognition ${words.join(' ')} exits ${code}: ${stderr}`);
  return stdout;
}

function readJson(printed: string): unknown {
  return JSON.parse(printed);
}

/** The person's home folder: in their own no model works. */
export function userHomeBeside(folder: string): string {
  return join(dirname(folder), 'person');
}

interface Start {
  folder: string;
  env: Record<string, string>;
  input: string | Uint8Array;
}

/** Runs the program, whatever it comes to. */
export async function runProgram(words: readonly string[], { folder, env, input }: Start): Promise<Ran> {
  const surroundings = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env };
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, env: surroundings });
  // A program that refuses its input does not read all of it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
