import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, type TestServer } from '../../tools/postgres/server.js';
import { LOGIN_PASSWORD, startRemote, until } from './fleet.js';

describe.skipIf(POSTGRES_BIN === null)('a project that is shared', { timeout: 120_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRemote();
  });
  afterAll(() => server.stop());

  const there = async (): Promise<string[]> =>
    (await asOwner(server, 'SELECT name FROM cognition.trees ORDER BY name')).flat();

  test('is named first and asked about, goes with what is new in it and nothing else, and ends when that is said', async () => {
    await withCli(async (anna) => {
      const inProject = (...line: string[]) => anna.run(line);
      await anna.print('remote', 'add', 'team', server.loopback('anna', LOGIN_PASSWORD));
      for (const name of ['alone', 'both', 'gone']) await anna.print('new', name);
      await anna.print('delete', 'gone');
      const elsewhere = join(anna.folder, '..', 'elsewhere ünd #1');
      mkdirSync(join(elsewhere, '.git'), { recursive: true });

      expect((await inProject('share', '--project', '--files')).stderr).toContain('one conversation at a time');
      const refused = await inProject('share', '--project');
      expect(refused).toMatchObject({ code: 8, stdout: '' });
      expect(refused.stderr).toMatch(
        /every new conversation, and 2 conversations that are private now:\n {2}\w{8} {2}both\n {2}\w{8} {2}alone\nWhoever may read team/,
      );
      expect(refused.stderr).toContain('What is archived stays here: 1 conversation.');
      await anna.print('new', 'asked');
      expect(await there()).toEqual([]);

      expect((await inProject('share', '--project', 'team', '--yes')).stdout).toMatch(/^Shared 3 conversations of /);
      expect(await there()).toEqual(['alone', 'asked', 'both']);
      expect((await inProject('new', 'later')).stderr).toContain(
        'New conversations of this project are shared over team',
      );
      await until(async () => (await there()).includes('later'));
      expect((await inProject('list')).stderr).toContain(
        'are shared over team; that ends: cognition unshare --project',
      );

      // Not what is of another project, a copy of a private one, brought from a file, or was archived before.
      await anna.run(['new', 'elsewhere'], { folder: elsewhere });
      await anna.print('unshare', 'alone');
      await anna.print('add', 'alone', 'for me');
      await anna.print('fork', 'alone', '--name', 'copy');
      await anna.print('export', 'copy', '--format', 'jsonl', '--output', 'copy.jsonl');
      await anna.print('purge', 'copy', '--yes');
      await anna.print('import', 'copy.jsonl');
      await anna.print('restore', 'gone');
      await anna.print('new', 'last');
      await until(async () => (await there()).includes('last'));
      expect(await there()).toEqual(['alone', 'asked', 'both', 'last', 'later']);

      expect((await inProject('unshare', '--project')).stdout).toMatch(/nothing is shared over team any more: 4 conv/);
      await anna.print('new', 'own');
      await anna.print('sync');
      expect(await there()).not.toContain('own');
      expect((await inProject('unshare', '--project')).stderr).toContain('is shared over team');
      expect((await inProject('list')).stderr).not.toContain('shared over');
    });
  });
});
