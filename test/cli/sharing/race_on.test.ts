import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { say } from '../../support/model/script.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, type TestServer } from '../../tools/postgres/server.js';
import { LOGIN_PASSWORD, startRemote, withFleet } from './fleet.js';

const Raced = z.object({
  lanes: z.array(
    z.object({
      label: z.string(),
      state: z.string(),
      files: z.number(),
      added: z.number(),
      reason: z.string().nullable(),
    }),
  ),
});
const ON = ['--on', 'team', '--project', 'web'];

describe.skipIf(POSTGRES_BIN === null)('a race over a remote', { timeout: 240_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRemote();
  });
  afterAll(() => server.stop());

  test('has a worker for each lane, shows them on a board, and one of them is picked', async () => {
    await withFleet(server, async ({ people: { anna, ben }, model, work }) => {
      work(ben, 'web', '--for', 'anna', '--at-once', '1');
      const lane = (content: string) => [
        say(words('I write.'), call('c1', 'write', { path: 'made.txt', content })),
        say(words('It is made.')),
      ];
      model.script(...lane('one\n'), ...lane('one\ntwo\n'));
      const raced = await anna.run(['race', 'make a file', '--with', 'sonnet×2', ...ON, '--json']);
      expect(raced).toMatchObject({ code: 0, stderr: expect.stringContaining('is shared over team from now on') });
      const { lanes } = Raced.parse(JSON.parse(raced.stdout));
      expect(lanes).toMatchObject([
        { label: expect.stringMatching(/^sonnet · /), state: 'done', files: 1, added: 1 },
        { label: expect.stringMatching(/^sonnet · /), state: 'done', files: 1, added: 2 },
      ]);
      expect(await anna.print('race', '--on', 'team')).toMatch(
        /1\. sonnet · .*done.*1 file.*\+1 -0[\s\S]*2\. sonnet · .*\+2 -0/,
      );
      expect(existsSync(join(anna.folder, 'made.txt'))).toBe(false);

      // Whoever may write can ask for something there, too: that is no lane of this race, and no newer race.
      const [[tree = '', node = ''] = []] = await asOwner(server, 'SELECT tree, node FROM cognition.tasks');
      for (const at of [node, tree]) {
        const put = `SELECT cognition.task_put(gen_random_uuid(), '${tree}', '${at}', '${'a'.repeat(64)}', 'web', NULL, NULL, 5)`;
        const asMallory = new pg.Client({ connectionString: server.loopback('mallory', LOGIN_PASSWORD) });
        await asMallory.connect();
        await asMallory.query(put);
        await asMallory.end();
      }
      expect(await anna.print('race', '--on', 'team')).toMatch(/1\. sonnet · .*done[\s\S]*2\. sonnet · .*done/);
      expect((await anna.run(['pick', '3', '--on', 'team'])).stderr).toContain('the race has no lane "3"');
      const picked = await anna.run(['pick', '2', '--on', 'team']);
      expect(picked).toMatchObject({ code: 0, stderr: expect.stringContaining('Took what lane 2 has changed.') });
      expect(readFileSync(join(anna.folder, 'made.txt'), 'utf8')).toBe('one\ntwo\n');
      expect(await anna.print('show')).toMatch(/User: make a file[\s\S]*\[patch[\s\S]*\[bash:git apply/);
      const back = /files restore (\w{8})/.exec(picked.stderr)?.[1] ?? '';
      await anna.print('files', 'restore', back);
      expect(existsSync(join(anna.folder, 'made.txt'))).toBe(false);

      // What does not fit changes nothing, and its lane is not taken.
      writeFileSync(join(anna.folder, 'made.txt'), 'mine\n');
      const refused = await anna.run(['pick', '1', '--on', 'team']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('do not fit the files that are here') });
      expect(readFileSync(join(anna.folder, 'made.txt'), 'utf8')).toBe('mine\n');
    });
  });

  test('says which lanes wait, stops one, and refuses what no worker does', async () => {
    await withFleet(server, async ({ people: { anna }, tasks }) => {
      const detached = await anna.run([
        'race',
        'make it',
        '--with',
        'sonnet,demo',
        '--max-cost',
        '1',
        ...ON,
        '--detach',
      ]);
      expect(detached).toMatchObject({ code: 0 });
      expect(detached.stderr).toMatch(/Nobody works on web over team with sonnet now[\s\S]* with demo now/);
      expect(await tasks('model, state, cost')).toEqual([
        ['sonnet', 'queued', '500000'],
        ['demo', 'queued', '500000'],
      ]);
      expect((await anna.run(['pick', '1', '--on', 'team'])).stderr).toContain('lane 1 has not ended');
      expect(await anna.print('race', '--stop', '1', '--on', 'team')).toBe('Stopped lane 1.\n');
      expect(await tasks('state')).toEqual([['stopped'], ['queued']]);
      const check = await anna.run(['race', 'x', '--with', 'demo', '--check', 'true', ...ON]);
      expect(check).toMatchObject({ code: 2, stderr: expect.stringContaining('workers run no commands of others') });
      expect(await anna.run(['race', 'x', '--with', 'demo', '--detach'])).toMatchObject({ code: 2 });
      expect(await anna.run(['race', 'x', '--with', 'demo', '--net', ...ON])).toMatchObject({ code: 2 });
    });
  });
});
