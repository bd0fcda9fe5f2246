import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isSafeSqlite } from '../../../hub/base/sqlite/sqlite_driver.js';
import { PROGRAM, withCli } from '../../support/cli.js';

test('the first command starts the hub; hub status reports it and hub stop ends it', async () => {
  await withCli(async ({ run, print, json, home }) => {
    expect(await run(['hub', 'status'])).toMatchObject({ code: 6, stdout: `No hub runs for ${home}\n` });
    expect(await run(['hub', 'stop'])).toMatchObject({ code: 0, stdout: 'No hub runs.\n' });
    await print('list');
    expect(await json('hub', 'status')).toMatchObject({
      running: true,
      status: 'ok',
      home,
      listen: null,
      connections: 1,
    });
    expect(await print('hub', 'stop')).toBe('The hub has ended.\n');
    expect((await run(['hub', 'status'])).code).toBe(6);
    expect(await print('hub', 'logs')).toMatch(/^\S+Z info hub .*\n.*the hub has ended\n$/s);
  });
});

test('hub start listens on a loopback address when asked', async () => {
  await withCli(async ({ run, print, home }) => {
    const printed = await print('hub', 'start', '--listen', '127.0.0.1:0');
    expect(printed).toMatch(
      /^The hub runs: version \S+, process \d+\nIt listens on 127\.0\.0\.1:\d+; the token is in /,
    );
    expect(readFileSync(join(home, 'hub.token'), 'utf8')).toMatch(/^[\w-]{43}\n$/);
    expect((await run(['hub', 'start', '--listen', '0.0.0.0:0'])).code).not.toBe(0);
  });
});

test('hub stop --if-idle ends a hub that has nothing to do', async () => {
  await withCli(async ({ print }) => {
    await print('list');
    expect(await print('hub', 'stop', '--if-idle')).toBe('The hub has ended.\n');
  });
});

test('hub logs --follow goes on with what is written later', async () => {
  await withCli(async ({ home, folder, print }) => {
    await print('list');
    const words = [PROGRAM, 'hub', 'logs', '--follow'];
    const reader = spawn(process.execPath, words, { env: { COGNITION_HOME: home }, cwd: folder });
    let isStopping = false;
    let printed = '';
    for await (const piece of reader.stdout) {
      printed += String(piece);
      if (printed.includes('the hub has ended')) break;
      if (!isStopping) await print('hub', 'stop');
      isStopping = true;
    }
    reader.kill('SIGINT');
    const [code] = await once(reader, 'exit');
    expect({ code, isStopping }).toEqual({ code: 130, isStopping: true });
  });
});

test('hub discover prints the protocol', async () => {
  await withCli(async ({ json }) => {
    expect(await json('hub', 'discover')).toMatchObject({ openrpc: '1.3.2' });
  });
});

test('hub without a command prints what there is', async () => {
  await withCli(async ({ run }) => {
    const { code, stdout } = await run(['hub']);
    expect({ code, hasStatus: stdout.includes('status') }).toEqual({ code: 0, hasStatus: true });
  });
});

test('doctor finds a new installation well', async () => {
  await withCli(async ({ print, json }) => {
    expect(await print('doctor')).toMatch(
      /^ok {4}node +\d+\.\d+\.\d+\nok {4}(better-sqlite3 +loads, SQLite 3|node:sqlite +SQLite 3[\d.]+ of Node serves)/,
    );
    const checks: unknown = await json('doctor');
    expect(checks).toEqual(expect.arrayContaining([expect.objectContaining({ about: 'hub', verdict: 'ok' })]));
  });
});

test('over the SQLite of Node all is as usual, without its warning; where Node brings none that serves, three ways are named', async () => {
  await withCli(async ({ run, home }) => {
    const env = { COGNITION_SQLITE: 'node' };
    const { code, stdout, stderr } = await run(['new', 'notes'], { env });
    if (isSafeSqlite(process.versions.sqlite ?? '0')) {
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
        stderr: expect.not.stringContaining('Warning'),
      });
      expect((await run(['doctor'], { env })).stdout).toMatch(
        /^ok {4}storage +works, SQLite 3[\d.]+ \(node:sqlite\)$/m,
      );
      await run(['hub', 'stop'], { env });
      expect(readdirSync(home).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
      expect(readFileSync(join(home, 'logs', 'hub.log'), 'utf8')).not.toContain('Warning');
    } else {
      expect({ code, stderr: stderr.replace(/v[\d.]+/, 'v0') }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/brings (no SQLite|SQLite [\d.]+, too old)\nhint: one of three ways: Node 22/),
      });
    }
  });
});

test('doctor says what is wrong and how to repair it', async () => {
  await withCli(async ({ home, print, run }) => {
    await print('new', 'notes');
    writeFileSync(join(home, 'session.json'), 'nonsense');
    const { stdout } = await run(['doctor'], { env: { LANG: 'C' } });
    expect(stdout).toContain(`warn  session          ${join(home, 'session.json')} is corrupt\n      fix: `);
    expect(stdout).toContain('warn  locale           C: trees are drawn in ASCII\n      fix: ');
  });
});

test('preferences are set, listed with their origin, and unset', async () => {
  await withCli(async ({ home, run, print }) => {
    await print('config', 'set', 'ascii', 'true');
    expect(await print('config', 'get', 'ascii')).toBe('true\n');
    const { stdout } = await run(['config', 'list', '--show-origin'], { env: { COGNITION_COLOR: 'never' } });
    expect(stdout).toMatch(/^color = never +environment: COGNITION_COLOR$/m);
    expect(stdout.replace(/ +/g, ' ')).toContain(`ascii = true user: ${join(home, 'config')}\n`);
    await print('config', 'unset', 'ascii');
    expect(await print('config', 'get', 'ascii')).toBe('false\n');
    expect(await run(['config', 'get', 'colr'])).toMatchObject({
      code: 2,
      stderr: 'cognition: there is no preference "colr"\nhint: did you mean color?\n',
    });
    expect((await run(['config', 'set', 'color', 'blue'])).code).toBe(2);
    expect((await run(['config', 'set', 'pager', 'evil', '--project'])).code).toBe(2);
  });
});

test('an unknown preference in the file is a warning with a suggestion', async () => {
  await withCli(async ({ home, print, run }) => {
    await print('new', 'notes');
    writeFileSync(join(home, 'config'), '# mine\ncolour = never\n');
    const { code, stderr } = await run(['list']);
    expect({ code, stderr }).toEqual({
      ...{ code: 0, stderr: `${join(home, 'config')}:2: there is no preference "colour"; did you mean color?\n` },
    });
  });
});

test('completion offers names of conversations, and starts no hub for it', async () => {
  await withCli(async ({ run, print }) => {
    expect(await print('completion', '--complete', '--', 'show', '')).toBe('@\n');
    expect((await run(['hub', 'status'])).code).toBe(6);
    await print('new', 'parser rewrite');
    expect(await print('completion', '--complete', '--', 'show', 'par')).toBe('parser rewrite\n');
    expect(await print('completion', '--complete', '--', 'sho')).toBe('show\n');
    expect((await run(['completion', 'csh'])).code).toBe(2);
  });
});

test('completion gives the id of a conversation whose name has hidden signs, or is a word of the scripts', async () => {
  await withCli(async ({ print }) => {
    const ids = [];
    for (const name of ['pay\u3164pal', ':files']) {
      await print('new', name);
      ids.push(z.object({ tree: z.object({ id: z.string() }) }).parse(JSON.parse(await print('show', name, '--json'))));
    }
    const offered = await print('completion', '--complete', '--', 'show', '');
    expect(new Set(offered.trim().split('\n'))).toEqual(new Set(['@', ...ids.map(({ tree }) => tree.id.slice(0, 8))]));
  });
});

test('a frozen hub is reported instead of awaited', { timeout: 60_000 }, async () => {
  await withCli(async ({ run, json }) => {
    await run(['hub', 'start']);
    const { pid } = z.object({ pid: z.number() }).parse(await json('hub', 'status'));
    process.kill(pid, 'SIGSTOP');
    const [status, stop] = await Promise.all([run(['hub', 'status']), run(['hub', 'stop'])]);
    process.kill(pid, 'SIGCONT');
    for (const { code, stderr } of [status, stop]) {
      expect([code, stderr.split('\n')[0]]).toEqual([
        6,
        expect.stringMatching(/^cognition: the hub at .* cannot be reached: /),
      ]);
    }
  });
});
