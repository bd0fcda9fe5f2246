import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withHome } from '../support/hub.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));

function start(env: Record<string, string>, ...given: string[]): { status: number | null; stdout: string } {
  const surroundings = { cwd: root, encoding: 'utf8', input: '', env: { ...process.env, ...env } } as const;
  return spawnSync('npm', ['start', '--silent', ...given], surroundings);
}

test('npm start passes what follows -- to the program and adds nothing of its own', () => {
  const { status, stdout } = start({}, '--', '--version');
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${version}\n` });
});

test('npm start alone opens a conversation', () =>
  withHome(async (home) => {
    const { status, stdout } = start({ COGNITION_HOME: home });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        /^Starting new conversation\.\.\.\nTree: [0-9a-f-]{36}\nFolder: .*\nNothing was said/,
      ),
    });
  }));
