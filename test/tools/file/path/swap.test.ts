import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METHODS } from '../../../../hub/protocol/methods/method_table.js';
import { context, outcomeOf, pluginOf, policyFor, withSwapping } from './swap_race.js';

const TRIES = 3_000;
// Each try waits for a program that gets its turn among the others of the machine.
const PATIENCE = { timeout: 300_000 };

test('while a folder and a link to a secret are swapped, reading never finds the secret', PATIENCE, () =>
  withSwapping('swap', async ({ project, folder, client }) => {
    const file = pluginOf(client, folder);
    const path = join(project, 'place/file.txt');
    const params = METHODS['file.read'].params.parse({ path, policy: policyFor(project) });
    const counts = { harmless: 0, SECRET: 0, refused: 0, missing: 0 };
    for (let count = 0; count < TRIES; count += 1) {
      const outcome = await outcomeOf(file.methods['file.read']?.(params, context));
      if (outcome.includes('SECRET')) counts.SECRET += 1;
      else if (outcome.includes('harmless')) counts.harmless += 1;
      else counts[outcome.startsWith('unauthorised') ? 'refused' : 'missing'] += 1;
    }
    expect(counts.SECRET).toBe(0);
    // The swapping has met the reading in each of its states.
    expect([counts.harmless > 0, counts.refused > 0]).toEqual([true, true]);
  }),
);

test('the same swapping deceives code that checks the path first and opens it afterwards', PATIENCE, () =>
  withSwapping('swap', async ({ project }) => {
    let leaks = 0;
    const path = join(project, 'place/file.txt');
    for (let count = 0; count < 100 * TRIES && leaks === 0; count += 1) {
      try {
        if (!(await realpath(path)).startsWith(`${project}/`)) continue;
        if ((await readFile(path, 'utf8')) === 'SECRET same') leaks += 1;
      } catch {
        // between two renames there is nothing of that name
      }
    }
    expect(leaks).toBe(1);
  }),
);

test('while a folder and a link to a secret are swapped, writing never reaches the secret', PATIENCE, () =>
  withSwapping('swap', async ({ project, secret, folder, client }) => {
    const file = pluginOf(client, folder);
    const policy = policyFor(project);
    const place = join(project, 'place');
    for (let count = 0; count < TRIES; count += 1) {
      const name = count % 3 === 0 ? 'file.txt' : `new${count % 7}/file.txt`;
      const params = METHODS['file.write'].params.parse({ path: join(place, name), content: `mine ${count}`, policy });
      await outcomeOf(file.methods['file.write']?.(params, context));
    }
    expect(await readdir(secret)).toEqual(['file.txt']);
    expect(await readFile(join(secret, 'file.txt'), 'utf8')).toBe('SECRET same');
  }),
);

test(
  'while a folder and a link to a secret are swapped, editing neither changes nor reveals the secret',
  PATIENCE,
  () =>
    withSwapping('swap', async ({ project, secret, folder, client }) => {
      const file = pluginOf(client, folder);
      const policy = policyFor(project);
      const path = join(project, 'place/file.txt');
      const seen = { edited: 0, refused: 0 };
      for (let count = 0; count < TRIES; count += 1) {
        // In turn: a text that both files contain, one that only the secret contains, and a similar one.
        const [old_text = '', new_text = ''] =
          [
            ['same', 'came'],
            ['came', 'same'],
            ['SECRET', 'x'],
            ['SECRXT', 'x'],
          ][count % 4] ?? [];
        const params = METHODS['file.edit'].params.parse({ path, old_text, new_text, policy });
        const outcome = await outcomeOf(file.methods['file.edit']?.(params, context));
        if (outcome.startsWith('{')) seen.edited += 1;
        else if (outcome.startsWith('unauthorised')) seen.refused += 1;
        if (new_text === 'x') expect(outcome).not.toMatch(/SECRET same|1: SECRET|"x"/);
      }
      expect(await readdir(secret)).toEqual(['file.txt']);
      expect(await readFile(join(secret, 'file.txt'), 'utf8')).toBe('SECRET same');
      expect([seen.edited > 0, seen.refused > 0]).toEqual([true, true]);
    }),
);

test('while each created folder is replaced with a link to a secret, writing never reaches the secret', PATIENCE, () =>
  withSwapping('replace', async ({ project, secret, folder, client }) => {
    const file = pluginOf(client, folder);
    const policy = policyFor(project);
    const outcomes = { made: 0, not: 0 };
    for (let count = 0; count < TRIES; count += 1) {
      const path = join(project, count % 2 === 0 ? 'place/file.txt' : 'place/deep/er/file.txt');
      const params = METHODS['file.write'].params.parse({ path, content: 'mine', policy });
      const outcome = await outcomeOf(file.methods['file.write']?.(params, context));
      outcomes[outcome.startsWith('{') ? 'made' : 'not'] += 1;
    }
    expect(await readdir(secret)).toEqual(['file.txt']);
    expect(await readFile(join(secret, 'file.txt'), 'utf8')).toBe('SECRET same');
    expect([outcomes.made > 0, outcomes.not > 0]).toEqual([true, true]);
  }),
);
