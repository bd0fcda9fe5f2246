import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { killHub } from '../../support/hub.js';
import { canMount, growDisk, mountDisk, unmount } from '../../support/mounts.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';

describe.skipIf(POSTGRES_BIN === null)('a conversation that cannot be fetched whole', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('is said to be incomplete by pull and use', async () => {
    await withCli(async (anna) => {
      await anna.print('config', 'set', 'sharing.live', 'false');
      await anna.print('remote', 'add', 'team', server.socket);
      await anna.print('remote', 'init');
      await anna.print('new', 'trip');
      for (const text of ['one', 'two', 'three']) await anna.print('add', 'trip', text);
      await anna.print('share', 'trip');
      await asOwner(server, `UPDATE cognition.entries SET body = replace(body, 'two', 'too')`);
      await withCli(async (ben) => {
        await ben.print('config', 'set', 'sharing.live', 'false');
        await ben.print('remote', 'add', 'team', server.socket);
        const pulled = await ben.run(['pull', 'team/trip']);
        expect(pulled).toMatchObject({ code: 1, stderr: expect.stringMatching(/entry \d+ of .* is refused/) });
        expect(await ben.run(['use', 'team/trip'])).toMatchObject({
          stderr: expect.stringMatching(/It is not all here: entry \d+ of .* is refused/),
        });
        expect(await ben.print('show', 'trip')).toContain('one');
      });
      await anna.print('unshare', 'trip', '--purge');
    });
  });

  test.runIf(canMount)(
    'is said to be incomplete where the disk is full, no entry is blamed, and it goes on later',
    async () => {
      await withCli(async (anna) => {
        await anna.print('remote', 'add', 'team', server.socket);
        await anna.print('remote', 'init');
        await anna.print('new', 'large');
        for (let count = 0; count < 12; count += 1)
          await anna.print('exec', 'large', 'head -c 2000000 /dev/urandom | base64');
        await anna.print('share', 'large');
        const disk = join(anna.folder, 'disk');
        mkdirSync(disk);
        mountDisk(disk, '16m');
        const env = { COGNITION_HOME: join(disk, 'home') };
        const run = (...words: string[]) => anna.run(words, { env });
        try {
          await run('config', 'set', 'sharing.live', 'false');
          await run('remote', 'add', 'team', server.socket);
          const pulled = await run('pull', 'team/large');
          expect(pulled).toMatchObject({ code: 1, stderr: expect.stringMatching(/full|no space/i) });
          expect(pulled.stderr).not.toContain('is refused');
          expect((await run('fsck')).stdout).toContain('all is well');
          growDisk(disk, '200m');
          expect(await run('pull', 'team/large')).toMatchObject({ code: 0 });
          expect((await run('fsck')).stdout).toContain('13 nodes, 12 stored outputs: all is well');
        } finally {
          await killHub(env.COGNITION_HOME);
          unmount(disk);
        }
      });
    },
  );
});
