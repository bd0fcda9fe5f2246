import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../loom/store/schema.js';
import { openStore } from '../../loom/store/store.js';
import { PROGRAM, type TestCli, withCli } from '../support/cli.js';
import { canMount, makeReadOnly, mountDisk, unmount } from '../support/mounts.js';
import { inShell } from './shell.js';

const isRoot = process.getuid?.() === 0;

test('a home in place of which stands a file is refused in one line, with a hint', () =>
  withCli(async ({ folder, run }) => {
    const home = join(folder, 'file');
    writeFileSync(home, 'mine');
    expect(await run(['list'], { env: { COGNITION_HOME: home } })).toEqual({
      ...{ code: 1, stdout: '' },
      stderr:
        `cognition: ${home} cannot be a folder: a file is in the way\n` +
        'hint: move that file, or set COGNITION_HOME to another folder\n',
    });
  }));

const readOnly = (home: string) =>
  `cognition: ${home} cannot be written to\n` +
  'hint: check who owns it and whether its disk is mounted read-only, or set COGNITION_HOME to another folder\n';

test.runIf(canMount)('a home on a disk that is mounted read-only is refused with the reason', () =>
  withCli(async ({ folder, run }) => {
    mountDisk(folder, '1m');
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    makeReadOnly(folder);
    const { code, stderr } = await run(['new'], { env: { COGNITION_HOME: home } });
    unmount(folder);
    expect([code, stderr]).toEqual([1, readOnly(home)]);
  }),
);

test.skipIf(isRoot)('a home in a folder that may not be written to is refused with the reason', () =>
  withCli(async ({ folder, run }) => {
    chmodSync(folder, 0o500);
    const home = join(folder, 'home');
    const { code, stderr } = await run(['new'], { env: { COGNITION_HOME: home } });
    chmodSync(folder, 0o700);
    expect([code, stderr]).toEqual([1, readOnly(home)]);
  }),
);

test.runIf(canMount)('a home on a full disk is refused with the reason, and works when there is room', () =>
  withCli(async ({ folder, run }) => {
    mountDisk(folder, '8m');
    const surroundings = { env: { COGNITION_HOME: join(folder, 'home') } };
    const ballast = join(folder, 'ballast');
    try {
      writeFileSync(ballast, Buffer.alloc(8 * 1024 * 1024 - 32 * 1024));
      const full = await run(['new', 'notes'], surroundings);
      expect(full).toMatchObject({ code: 1, stdout: '' });
      expect(full.stderr).toMatch(/^cognition: [^\n]* is full[^\n]*\nhint: make room and try again\n$/);
      writeFileSync(ballast, '');
      expect((await run(['new', 'notes'], surroundings)).code).toBe(0);
      expect((await run(['hub', 'stop'], surroundings)).code).toBe(0);
    } finally {
      unmount(folder);
    }
  }),
);

test('a home whose path is too long for the database is refused with the reason', () =>
  withCli(async ({ folder, run }) => {
    const home = join(folder, ...['a', 'b', 'c'].map((letter) => letter.repeat(200)));
    const { code, stderr } = await run(['new'], { env: { COGNITION_HOME: home } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `cognition: the path of the home folder has ${Buffer.byteLength(home)} bytes, and at most 480 work\n` +
        'hint: set COGNITION_HOME to a folder with a shorter path\n',
    });
  }));

test.runIf(isRoot)('root changes nothing in the home of somebody else, whose hub runs', () =>
  withCli(async ({ home, run, print }) => {
    await print('new', 'notes');
    await print('config', 'set', 'ascii', 'true');
    const names = readdirSync(home);
    for (const path of [home, ...names.map((name) => join(home, name))]) chownSync(path, 1000, 1000);
    for (const words of [
      ['add', 'notes', 'of root'],
      ['show', 'notes'],
      ['config', 'set', 'color', 'never'],
      ['config', 'unset', 'ascii'],
    ]) {
      expect(await run(words)).toEqual({
        ...{ code: 1, stdout: '' },
        stderr:
          `cognition: the home folder ${home} belongs to another user\n` +
          "hint: run this as its owner (sudo -u '#1000' …), or set COGNITION_HOME to a folder of your own\n",
      });
    }
    expect(readdirSync(home)).toEqual(names);
    expect(names.map((name) => statSync(join(home, name)).uid)).toEqual(names.map(() => 1000));
    for (const path of [home, ...names.map((name) => join(home, name))]) chownSync(path, 0, 0);
  }),
);

/** A plain user beside root, whose program and home are their own. */
function asPlainUser(words: readonly string[], { home, folder }: Pick<TestCli, 'home' | 'folder'>) {
  const env = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', HOME: dirname(home), COGNITION_HOME: home };
  return spawnSync('setpriv', [...PLAIN_USER, process.execPath, PROGRAM, ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

const PLAIN_USER = ['--reuid=1000', '--regid=1000', '--clear-groups'];

test.runIf(isRoot)("root's single call in the home of somebody else, where no hub runs, leaves it to its owner", () =>
  withCli(async ({ home, folder, run }) => {
    for (const path of [dirname(home), folder]) chownSync(path, 1000, 1000);
    const place = { home, folder };
    const owned = (...words: string[]): string => asPlainUser(words, place).stdout;
    owned('new', 'notes');
    owned('add', 'notes', 'mine');
    const shown = owned('context', 'notes');
    expect(shown).toContain('mine');
    owned('hub', 'stop');
    const names = readdirSync(home).sort();
    for (const words of [
      ['add', 'notes', 'of root'],
      ['list'],
      ['use', 'notes'],
      ['exec', 'notes', 'true'],
      ['chat'],
    ]) {
      const refused = await run(words);
      expect([words, refused.code, refused.stderr]).toEqual([
        words,
        1,
        expect.stringContaining('belongs to another user'),
      ]);
    }
    expect(readdirSync(home).sort()).toEqual(names);
    expect(names.map((name) => statSync(join(home, name)).uid)).toEqual(names.map(() => 1000));
    expect(owned('context', 'notes')).toBe(shown);
    owned('hub', 'stop');
  }),
);

test.runIf(isRoot)('under sudo no home of root is made in the folder of the caller', () =>
  withCli(async ({ home, folder, run }) => {
    chownSync(dirname(home), 1000, 1000);
    chownSync(folder, 1000, 1000);
    for (const inner of [home, join(home, 'deep', 'er')]) {
      for (const words of [
        ['new', 'notes'],
        ['config', 'set', 'ascii', 'true'],
      ]) {
        expect(await run(words, { env: { SUDO_UID: '1000', COGNITION_HOME: inner } })).toEqual({
          ...{ code: 1, stdout: '' },
          stderr:
            `cognition: the home folder ${inner} would be root's, in a folder of another user\n` +
            'hint: run this without sudo, or with sudo -H; or set COGNITION_HOME to a folder of your own\n',
        });
      }
    }
    expect(existsSync(home)).toBe(false);
    expect(asPlainUser(['new', 'notes'], { home, folder }).status).toBe(0);
    expect(statSync(home).uid).toBe(1000);
    asPlainUser(['hub', 'stop'], { home, folder });
    chownSync(dirname(home), 0, 0);
    const roots = { SUDO_UID: '1000', COGNITION_HOME: join(dirname(home), 'roots') };
    expect((await run(['new', 'notes'], { env: roots })).code).toBe(0);
    await run(['hub', 'stop'], { env: roots });
  }),
);

test('a database that a newer version wrote is refused and left as it is', () =>
  withCli(async ({ home, run, print }) => {
    await print('new', 'notes');
    await print('hub', 'stop');
    const path = join(home, 'trees.db');
    const store = openStore({ path, access: 'write', synchronous: 'full' });
    store.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    store.close();
    const { code, stderr } = await run(['list']);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr:
        `cognition: ${path} was written by a newer cognition (schema ${MIGRATIONS.length + 1}, known: ${MIGRATIONS.length})\n` +
        'hint: install the newer version: npm install -g cognition@latest\n',
    });
  }));

test.runIf(existsSync('/dev/full'))('a version that cannot be printed is a failure in one line', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--version'], { stdio: ['ignore', full, 'pipe'] });
  expect([status, String(stderr)]).toEqual([1, 'cognition: ENOSPC: no space left on device, write\n']);
});

test.runIf(existsSync('/dev/full'))('what cannot be printed is a failure in one line, of a conversation as well', () =>
  withCli(async (cli) => {
    const told = 'cognition: the output could not be written: ENOSPC: no space left on device, write\n';
    for (const line of ['cognition new', 'echo hello | cognition chat --model demo', 'cognition ask hi --model demo']) {
      const { code, stderr } = await inShell(cli, `${line} > /dev/full`);
      expect(code).toBe(1);
      expect(stderr.split(told)).toHaveLength(2);
    }
  }),
);

test('in a folder that has been removed it is said what to do', () =>
  withCli(async (cli) => {
    const line = 'mkdir gone && cd gone && rmdir ../gone && cognition list 2>&1 | grep -v getcwd';
    expect((await inShell(cli, line)).stdout).toBe(
      'cognition: the folder that you are in is not there any more\nhint: go to another one with cd\n',
    );
  }));
