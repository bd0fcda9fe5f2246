import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import { openStore } from '../../../loom/store/store.js';
import { connectTo, hubEnded, withHome, withHub } from '../../support/hub.js';

describe('ending', () => {
  test('happens by itself when the hub has been unused for the configured time', async () => {
    await withHome(async (home) => {
      mkdirSync(home, { mode: 0o700 });
      writeFileSync(homePaths(home).config, 'hub.idle_minutes = 0.001\n');
      const { socket } = homePaths(home);
      const client = await connectTo(home);
      expect(existsSync(socket)).toBe(true);
      const ended = hubEnded(home);
      await client.close();
      await ended;
      expect(existsSync(socket)).toBe(false);
    });
  });

  test('leaves everything in the one file of the database', async () => {
    await withHub(async ({ home, client }) => {
      const ended = hubEnded(home);
      const { id } = await client.call('loom.tree_create', { name: 'kept' });
      await client.call('loom.fsck', {});
      await client.call('health.stop', {});
      await ended;
      const { database } = homePaths(home);
      copyFileSync(database, `${home}/copy.db`);
      const copy = openStore({ path: `${home}/copy.db`, access: 'write', synchronous: 'off' });
      expect(copy.all('SELECT lower(hex(id)) AS id FROM trees')).toEqual([{ id: id.replaceAll('-', '') }]);
      copy.close();
      expect(existsSync(`${database}-wal`)).toBe(false);
    });
  });

  test('on a signal answers what was begun and leaves no socket and no token', async () => {
    await withHub(async ({ home, client, pid }) => {
      const ended = hubEnded(home);
      const trees = Array.from({ length: 50 }, () => client.call('loom.tree_create', {}));
      process.kill(await pid(), 'SIGTERM');
      await ended;
      expect((await Promise.all(trees)).map((tree) => tree.node_count)).toEqual(Array.from({ length: 50 }, () => 1));
    });
  });

  test('of a hub whose home was removed does not touch the hub that replaced it', async () => {
    await withHome(async (home) => {
      const first = await connectTo(home);
      const ended = new Promise<void>((resolve) => {
        first.onLine(({ kind }) => (kind === 'lost' ? resolve() : undefined));
      });
      rmSync(home, { recursive: true });
      const second = await connectTo(home);
      const { pid } = await second.call('health.check', {});
      await ended; // by itself, as soon as it looks
      expect(existsSync(homePaths(home).socket)).toBe(true);
      expect((await second.call('health.check', {})).pid).toBe(pid);
      await Promise.all([first.close(), second.close()]);
    });
  });

  test('does not happen when the terminal closes', async () => {
    await withHub(async ({ client, pid }) => {
      const before = await pid();
      process.kill(before, 'SIGHUP');
      await client.call('loom.tree_create', {});
      expect(await pid()).toBe(before);
    });
  });
});

describe('a TCP address', () => {
  test('is opened on request, with a new token each time, which goes with the hub', async () => {
    await withHome(async (home) => {
      const first = await connectTo(home, { listen: '127.0.0.1:0' });
      const token = readFileSync(homePaths(home).token, 'utf8').trim();
      expect(statSync(homePaths(home).token).mode & 0o777).toBe(0o600);
      const port = Number(first.hub.listen?.split(':')[1]);
      const remote = await connectTo(home, { address: { host: '127.0.0.1', port, token } });
      expect((await remote.call('health.check', {})).listen).toBe(`127.0.0.1:${port}`);
      const ended = hubEnded(home);
      await first.call('health.stop', {});
      await ended;
      expect(existsSync(homePaths(home).token)).toBe(false);
      await expect(remote.call('health.check', {})).rejects.toMatchObject({ kind: 'unreachable' });
      await Promise.all([first.close(), remote.close()]);
    });
  });

  test('that is in use is reported', async () => {
    await withHome(async (home) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const address = other.address();
      const port = typeof address === 'object' ? address?.port : 0;
      await expect(connectTo(home, { listen: `127.0.0.1:${port}` })).rejects.toMatchObject({
        message: expect.stringContaining(`the hub cannot listen on 127.0.0.1:${port}`),
        hint: 'choose another port',
      });
      other.close();
    });
  });
});
