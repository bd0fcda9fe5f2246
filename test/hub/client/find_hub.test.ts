import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliCommand } from '../../../hub/base/hint.js';
import { ensureHub } from '../../../hub/client/find_hub.js';
import { homePaths, VERSION } from '../../../hub/config/config.js';
import { takeLock } from '../../../hub/home/hub_lock.js';
import { PROTOCOL } from '../../../hub/protocol/limits.js';
import { start as startProgram } from '../../gauntlet/processes.js';
import { connectTo, HUB_ENTRY, hubPid, killHub, withFolder, withHome, withHub } from '../../support/hub.js';
import { startTogether } from '../../support/starts.js';

const SIMULTANEOUS = 20;

/** A process number that nobody has: that of a process which has just ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

/** Connects, starting a hub, and returns its process number. */
async function start(home: string): Promise<number> {
  const client = await connectTo(home);
  await client.close();
  return hubPid(home);
}

describe('starting', () => {
  test('begins no hub for a client that was closed while it looked for one', async () => {
    await withHome(async (home) => {
      const abort = new AbortController();
      const program = { version: VERSION, protocol: PROTOCOL };
      const request = { home, start: true, entry: HUB_ENTRY, listen: null, program, mayCopy: true };
      const looking = ensureHub({ ...request, signal: abort.signal });
      abort.abort();
      await expect(looking).rejects.toMatchObject({ kind: 'cancelled' });
      expect([existsSync(homePaths(home).hubLog), existsSync(homePaths(home).starting)]).toEqual([false, false]);
    });
  });

  test(`${SIMULTANEOUS} programs at once start exactly one hub`, async () => {
    await withHome(async (home) => {
      const pids = await startTogether(home, SIMULTANEOUS);
      expect(new Set(pids)).toEqual(new Set([await hubPid(home)]));
      expect(pids).toHaveLength(SIMULTANEOUS);
    });
  });

  test('makes the home folder closed to others, and everything in it', async () => {
    await withHome(async (home) => {
      await start(home);
      const paths = homePaths(home);
      const modes = [home, paths.lock, paths.socket, paths.logs, paths.hubLog, paths.database];
      expect(modes.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
        '700',
        '600',
        '600',
        '700',
        '600',
        '600',
      ]);
    });
  });

  test('gives the hub nothing of the environment but what it needs', async () => {
    await withHome(async (home) => {
      process.env.CANARY_API_KEY = 'canary';
      try {
        const pid = await start(home);
        const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .map((entry) => entry.split('=', 1)[0]);
        expect(names).not.toContain('CANARY_API_KEY');
        expect(names).toContain('PATH');
      } finally {
        delete process.env.CANARY_API_KEY;
      }
    });
  });

  test('is not done when the caller disables it', async () => {
    await withHome(async (home) => {
      await expect(connectTo(home, { start: false })).rejects.toMatchObject({
        kind: 'unreachable',
        message: `no hub is running for ${home}`,
        hint: ['run: ', cliCommand('hub start')],
      });
      expect(existsSync(home)).toBe(false);
    });
  });

  test('works in a home whose path is far too long for a socket, whatever the caller’s environment says', async () => {
    await withFolder(async (folder) => {
      const home = join(folder, 'ü'.repeat(60), 'x'.repeat(100), 'home: with %41 and # signs');
      const before = process.env.XDG_RUNTIME_DIR;
      process.env.XDG_RUNTIME_DIR = folder;
      try {
        const pid = await start(home);
        delete process.env.XDG_RUNTIME_DIR;
        expect(await hubPid(home)).toBe(pid);
        const [socket] = readdirSync(join(folder, 'cognition'));
        expect(readFileSync(homePaths(home).address, 'utf8')).toBe(`${join(folder, 'cognition', String(socket))}\n`);
        expect(statSync(join(folder, 'cognition', String(socket))).mode & 0o777).toBe(0o600);
        expect(statSync(join(folder, 'cognition')).mode & 0o777).toBe(0o700);
      } finally {
        if (before !== undefined) process.env.XDG_RUNTIME_DIR = before;
        await killHub(home);
      }
    });
  });
});

describe('what a dead hub left behind is replaced:', () => {
  test('its socket and lock after kill -9', async () => {
    await withHome(async (home) => {
      const first = await start(home);
      await killHub(home);
      expect(existsSync(homePaths(home).socket)).toBe(true);
      expect(await start(home)).not.toBe(first);
    });
  });

  test('a starter that died', async () => {
    await withHome(async (home) => {
      mkdirSync(home, { mode: 0o700 });
      writeFileSync(homePaths(home).starting, String(deadPid()));
      await start(home);
      expect(existsSync(homePaths(home).starting)).toBe(false);
    });
  });

  test('a lock file with something else in it', async () => {
    await withHome(async (home) => {
      mkdirSync(home, { mode: 0o700 });
      writeFileSync(homePaths(home).lock, 'not a database, and longer than a header would be '.repeat(30));
      await start(home);
      expect(statSync(homePaths(home).lock).size).toBe(0);
    });
  });
});

describe('a start that cannot succeed says why:', () => {
  async function refusal(home: string) {
    return connectTo(home).then(
      () => 'it started',
      (error: { kind: string; message: string; hint: string }) => `${error.kind}: ${error.message} (${error.hint})`,
    );
  }

  test('a file in the place of the home', async () => {
    await withFolder(async (folder) => {
      const home = join(folder, 'file');
      writeFileSync(home, '');
      expect(await refusal(home)).toBe(
        `storage_failed: ${home} cannot be a folder: a file is in the way (move that file, or set COGNITION_HOME to another folder)`,
      );
    });
  });

  test('a file system that takes no folders', async () => {
    expect(await refusal('/proc/cognition/home')).toContain(
      'storage_failed: /proc/cognition/home cannot be written to',
    );
  });

  test('a folder that holds something else and is open to others', async () => {
    await withFolder(async (folder) => {
      const home = join(folder, 'open');
      mkdirSync(home);
      writeFileSync(join(home, 'thesis.txt'), '');
      chmodSync(home, 0o755);
      expect(await refusal(home)).toContain(`unauthorised: the home folder ${home} is open to other users (mode 0755)`);
      expect(statSync(home).mode & 0o777).toBe(0o755);
    });
  });

  test('a database file that is not a database', async () => {
    await withHome(async (home) => {
      mkdirSync(home, { mode: 0o700 });
      writeFileSync(homePaths(home).database, 'x'.repeat(8_192));
      expect(await refusal(home)).toContain('storage_failed: ');
      expect(existsSync(homePaths(home).starting)).toBe(false);
    });
  });

  test('a folder in the place of the socket', async () => {
    await withHome(async (home) => {
      mkdirSync(home, { mode: 0o700 });
      mkdirSync(homePaths(home).socket);
      expect(await refusal(home)).toContain(`${homePaths(home).socket} is in the way`);
    });
  });

  test('a folder for the socket that other users can enter', async () => {
    await withFolder(async (folder) => {
      const home = join(folder, 'x'.repeat(120));
      mkdirSync(home, { mode: 0o700 });
      const swept = join(folder, 'swept');
      mkdirSync(swept);
      chmodSync(swept, 0o755);
      writeFileSync(homePaths(home).address, join(swept, 'hub.sock'));
      expect(await refusal(home)).toContain(`unauthorised: ${swept} belongs to somebody else or is open to them`);
    });
  });

  test.each(['a link to nowhere', 'a file'])('%s in the place of that folder', async (what) => {
    await withFolder(async (folder) => {
      const home = join(folder, 'x'.repeat(120));
      const planted = join(folder, `cognition-${process.getuid?.() ?? 0}`);
      if (what === 'a file') writeFileSync(planted, '');
      else symlinkSync(join(folder, 'nowhere'), planted);
      const env = { PATH: process.env.PATH ?? '', TMPDIR: folder };
      const { code, stderr } = await startProgram(HUB_ENTRY, [home], { env }).ended;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`${planted} belongs to somebody else or is open to them\nhint: remove it`),
      });
    });
  });

  test('a missing program', async () => {
    await withHome(async (home) => {
      const attempt = connectTo(home, { hubEntry: join(home, 'nowhere.js') });
      await expect(attempt).rejects.toMatchObject({ kind: 'unreachable', hint: 'install cognition again' });
    });
  });
});

describe('a home folder made by hand', () => {
  test('is closed to others when it is empty', async () => {
    await withHome(async (home) => {
      mkdirSync(home);
      chmodSync(home, 0o775);
      await start(home);
      expect(statSync(home).mode & 0o777).toBe(0o700);
    });
  });

  test('may be reached through a link', async () => {
    await withHub(async ({ home, pid }) => {
      const link = join(home, '..', 'link');
      symlinkSync(home, link);
      expect(await hubPid(link)).toBe(await pid());
    });
  });
});

describe('one home has one hub', () => {
  test('the lock is refused while another process holds it and free at once when that releases it', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'hub.lock');
      const first = await takeLock(path, 0);
      await expect(takeLock(path, 20)).rejects.toMatchObject({ kind: 'conflict', message: `another hub owns ${path}` });
      first.release();
      (await takeLock(path, 0)).release();
    });
  });

  test('a second process for the same home gives up with a message', async () => {
    await withHub(async ({ home }) => {
      const second = spawnSync(process.execPath, [HUB_ENTRY, home], { encoding: 'utf8' });
      expect(second.status).toBe(1);
      expect(second.stderr).toBe(`another hub owns ${homePaths(home).lock}\nhint: run: cognition hub status\n`);
    });
  });
});
