import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyHome, refuseWriting } from '../../../hub/client/read_only_home.js';
import { CALL_FACTS } from '../../../hub/protocol/call_facts.js';
import { READ_METHODS } from '../../../loom/read/read_methods.js';
import { withCli } from '../../support/cli.js';
import { killHub } from '../../support/hub.js';
import { bindReadOnly, canMount, unmount } from '../../support/mounts.js';

// Each of two dozen commands starts a hub of its own.
const TIMEOUT_MS = 180_000;

const UNSEEN = 'The home can only be read: the recorded files of projects were not checked, everything else was.\n';
const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('cognition-read-'));

test.runIf(canMount).each(['ended in order', 'was killed'])(
  'a home on a read-only disk is read, also where its last hub %s, and nothing is changed there',
  (how) =>
    withCli(async ({ folder, run }) => {
      const home = join(folder, 'home');
      const at = { env: { COGNITION_HOME: home } };
      const print = async (...words: string[]): Promise<string> => {
        const { stdout, stderr, code } = await run(words, at);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        return stdout;
      };
      await run(['new', 'trip'], at);
      await print('add', 'trip', 'Where shall we go?');
      expect((await run(['exec', 'trip', 'echo a walrus'], at)).stdout).toBe('a walrus\n');
      if (how === 'was killed') await killHub(home);
      else await print('hub', 'stop');
      bindReadOnly(home);
      try {
        const before = copies();
        expect(await print('list')).toMatch(/^\* [0-9a-f]{8} {2}trip {2}1 message /);
        expect(await print('show', 'trip')).toContain('[bash:echo a walrus]');
        expect(await print('context', 'trip')).toContain('Where shall we go?');
        expect(await print('export', 'trip', '--format', 'markdown')).toContain('# trip');
        expect(await print('search', 'walrus')).toContain('a walrus');
        expect(await print('output', '@')).toBe('a walrus\n');
        const checked = await run(['fsck'], at);
        expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('all is well') });
        expect(checked.stderr).toBe(existsSync(join(home, 'files')) ? UNSEEN : '');
        const refused = `cognition: ${home} can only be read: nothing is changed there\n`;
        for (const words of [
          ['add', 'trip', 'no'],
          ['new', 'x'],
          ['exec', 'trip', 'ls'],
          ['ask', 'trip', 'hm', '--model', 'demo'],
        ]) {
          const { code, stderr } = await run(words, at);
          expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 1, first: refused.trimEnd() });
        }
        for (const words of [
          ['use', 'trip'],
          ['config', 'set', 'color', 'never'],
        ]) {
          const { code, stderr } = await run(words, at);
          expect(code).toBe(1);
          expect(stderr).toMatch(/^cognition: .* cannot be written\b.*\nhint: .*\n$/);
        }
        expect(copies().filter((name) => !before.includes(name))).toEqual([]);
      } finally {
        unmount(home);
      }
    }),
  TIMEOUT_MS,
);

test('what is copied of it can be written, so that no copy is copied in its turn', () =>
  withCli(async ({ home, print }) => {
    await print('new', 'trip');
    await print('search', 'walrus');
    await print('hub', 'stop');
    for (const name of ['trees.db', 'search.db']) chmodSync(join(home, name), 0o400);
    const copy = copyHome(home);
    const modes = readdirSync(copy.home).map((name) => [name, statSync(join(copy.home, name)).mode & 0o777]);
    copy.remove();
    expect(Object.fromEntries(modes)).toMatchObject({ 'trees.db': 0o600, 'search.db': 0o600 });
  }));

test('a database with which no hub can start is told of with what can be done', () =>
  withCli(async ({ home, print, run }) => {
    await print('new', 'trip');
    for (let number = 0; number < 20; number += 1) await print('add', 'trip', 'x'.repeat(2_000));
    await print('hub', 'stop');
    const path = join(home, 'trees.db');
    // The first page says what is where, and stays.
    writeFileSync(path, readFileSync(path).fill(0xff, 4_096));
    const { code, stderr } = await run(['list']);
    expect({ code, stderr }).toEqual({
      ...{ code: 1, stderr: expect.stringMatching(/^cognition: the database .*\nhint: .*bring back a backup/) },
    });
  }));

test('every method that only reads the storage is allowed where nothing may be written, and no other is by chance', () => {
  for (const method of READ_METHODS) expect(() => refuseWriting('/home', method)).not.toThrow();
  const allowed = Object.entries(CALL_FACTS).flatMap(([method, { onlyReads }]) => (onlyReads ? [method] : []));
  expect(
    allowed.filter((method) => /_(create|set$|put|add|start|end|take|drop|archive|restore|import|purge)/.test(method)),
  ).toEqual([]);
  expect(allowed).not.toContain('agent.run');
  expect(() => refuseWriting('/home', 'agent.run')).toThrow('/home can only be read');
});
