import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

const REFUSED = /^cognition: .* is your home folder: a model does not work on all of that\n.*--here/s;

test('a model does not work in the home folder, or above it, unless the person insists', async () => {
  await withCli(async ({ run, json, folder }) => {
    const env = { HOME: folder };
    for (const words of [
      ['ask', 'list the files'],
      ['spawn', '--task', 'list the files'],
    ]) {
      const refused = await run([...words, '--model', 'demo'], { env });
      expect(refused).toMatchObject({ stdout: '', stderr: expect.stringMatching(REFUSED) });
      expect(refused.code).not.toBe(0);
    }
    const above = await run(['ask', 'list the files', '--model', 'demo'], { env: { HOME: join(folder, 'deep') } });
    expect(above.stderr).toContain('holds home folders: a model does not work on all of that');
    expect(await json('list')).toEqual([]);
    const insisted = await run(['ask', 'write a program', '--model', 'demo', '--here'], { env });
    expect(insisted).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(true);
  });
});

test('a chat in the home folder says so, takes notes, and asks no model', async () => {
  await withCli(async ({ run, folder }) => {
    const env = { HOME: folder };
    const { stderr, code } = await run(['chat', '--model', 'demo'], {
      env,
      input: 'write a program\n!echo mine >own\n',
    });
    expect(stderr).toMatch(/is your home folder: a model does not work on all of that\n.*--here/s);
    expect(code).not.toBe(0);
    expect(readFileSync(join(folder, 'own'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(false);
  });
});
