import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { PROGRAM, type Ran, type TestCli, userHomeBeside } from '../support/cli.js';

function surroundings({ home, folder }: TestCli, env: Record<string, string>) {
  return { PATH: process.env.PATH ?? '', HOME: userHomeBeside(folder), LANG: 'C.UTF-8', COGNITION_HOME: home, ...env };
}

/** Runs a line in a shell that knows the program by its name. */
export async function inShell(cli: TestCli, line: string): Promise<Ran> {
  const bin = join(dirname(cli.folder), 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'cognition'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, { mode: 0o755 });
  const env = surroundings(cli, { PATH: `${bin}:${process.env.PATH ?? ''}` });
  const child = spawn('bash', ['-c', line], { cwd: cli.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

export interface Started {
  child: ChildProcess;
  stdout: Readable;
  /** Resolves when the program has printed this. */
  printed(expected: string): Promise<void>;
  ended: Promise<Ran>;
}

/** Starts the program and leaves it running. */
export function startProgram(cli: TestCli, words: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    ...{ cwd: cli.folder, env: surroundings(cli, env), stdio: ['ignore', 'pipe', 'pipe'] },
  });
  const { stdout, stderr } = child;
  let soFar = '';
  const watchers: (() => void)[] = [];
  stdout.on('data', (piece) => {
    soFar += String(piece);
    for (const look of watchers) look();
  });
  const errors = text(stderr);
  return {
    child,
    stdout,
    printed: (expected) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (soFar.includes(expected)) resolve();
        };
        watchers.push(look);
        look();
      }),
    ended: once(child, 'close').then(async ([code]) => ({ code, stdout: soFar, stderr: await errors })),
  };
}
