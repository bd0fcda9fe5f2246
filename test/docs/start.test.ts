import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));

function start(...given: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('npm', ['start', '--silent', ...given], { cwd: root, encoding: 'utf8' });
}

test('npm start passes what follows -- to the program and adds nothing of its own', () => {
  const { status, stdout } = start('--', '--version');
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${version}\n` });
});

test('npm start alone prints the help and how to go on', () => {
  const { status, stdout, stderr } = start();
  expect(status).toBe(0);
  expect(stdout).toContain('Usage: cognition');
  expect(stderr).toContain('npm start -- new notes');
});
