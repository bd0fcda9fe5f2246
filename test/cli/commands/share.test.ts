import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../hub/sharing/remote_schema.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { asOwner } from '../../tools/postgres/database.js';
import { OWNER_PASSWORD, POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';

const BEN = 'canary-of-ben';
const EVA = 'canary-of-eva';

describe.skipIf(POSTGRES_BIN === null)('people who share a conversation', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `CREATE ROLE ben LOGIN PASSWORD '${BEN}'; CREATE ROLE eva LOGIN PASSWORD '${EVA}';
       CREATE ROLE cognition_reader NOLOGIN; CREATE ROLE cognition_writer NOLOGIN;
       GRANT cognition_writer TO ben; GRANT cognition_reader TO eva`,
    );
  });
  afterAll(() => server.stop());

  const address = (user: string, password: string): string => server.loopback(user, password);

  async function failure(cli: TestCli, ...words: string[]): Promise<string> {
    const { code, stderr } = await cli.run(words);
    expect(code, stderr).not.toBe(0);
    return stderr;
  }

  test('come to the same by the guide alone: one shares, one goes on, one only reads', async () => {
    await withCli(async (anna) => {
      await withCli(async (ben) => {
        for (const { print } of [anna, ben]) await print('config', 'set', 'sharing.live', 'false');
        expect(await failure(anna, 'share', '@')).toContain('there is no remote');
        expect(await anna.print('remote', 'add', 'team', address('owner', OWNER_PASSWORD))).toBe(
          `team is postgres://owner:***@127.0.0.1:${server.port}/postgres.\n`,
        );
        await anna.print('new', 'trip');
        await anna.print('add', 'trip', 'Where shall we go?');
        expect(await failure(anna, 'share', 'trip')).toMatch(/not prepared for sharing[\s\S]*remote init team/);
        expect(await anna.print('remote', 'init')).toBe(
          `team is prepared (version ${SCHEMA_VERSION}, roles cognition_reader, cognition_writer).\n`,
        );
        expect(await anna.print('remote', 'init', 'team')).toContain('was prepared already');
        expect(await anna.print('share', 'trip')).toBe('Shared trip over team: sent 3 pieces.\n');
        expect(await anna.print('remote', 'list')).toMatch(
          /^team {2}postgres:\/\/owner:\*\*\*@.* {2}1 conversation\n$/,
        );

        await ben.print('remote', 'add', 'team', address('ben', BEN));
        expect(await ben.print('list', '--remote', 'team')).toMatch(/^ {2}[0-9a-f]{8} {2}2 nodes .* · .* trip\n$/);
        expect(await failure(ben, 'pull', 'team/nowhere')).toContain('team has no conversation "nowhere"');
        expect(await ben.print('pull', 'team/trip')).toMatch(/received 2 nodes {2}trip\n$/);
        expect(await ben.print('show', 'trip')).toContain('Where shall we go?');
        expect(await ben.print('use', 'team/trip')).toMatch(/^[0-9a-f-]{36}\n$/);
        await ben.print('add', 'trip', 'To the sea.');
        expect(await ben.print('push')).toMatch(/sent 1 piece {2}trip\n$/);
        await anna.print('add', 'trip', 'To the mountains.');
        expect(await anna.print('sync')).toMatch(/sent 1 piece, received 1 node {2}trip\n$/);
        expect(await anna.print('show', 'trip')).toMatch(/To the sea\.[\s\S]*To the mountains\./);
        expect(await anna.print('sync', 'team')).toMatch(/up to date {2}trip\n$/);

        expect(await failure(ben, 'unshare', 'trip', '--purge')).toContain('does not let you do that');
        expect(await failure(anna, 'purge', 'trip', '--yes')).toMatch(
          /is shared over team[\s\S]*unshare .* team --purge/,
        );
        expect(await anna.print('unshare', 'trip', '--purge')).toBe(
          'trip is shared over team no longer, and it is deleted there.\n',
        );
        expect(await failure(anna, 'share', 'trip')).toContain('it was deleted at team; what is here stays');
        expect(await anna.print('remote', 'list')).toContain('0 conversations');
        expect(await failure(ben, 'sync')).toContain('it was deleted at team; what is here stays');
        expect(await ben.print('show', 'trip')).toContain('To the sea.');
        expect(await ben.print('list', '--remote', 'team')).toContain('(deleted)');
        await ben.print('unshare', 'trip');
        await ben.print('purge', 'trip', '--yes');
        expect(await asOwner(server, 'SELECT count(*) FROM cognition.entries')).toEqual([['0']]);
      });
    });
  });

  test('who may only read fetches and sends nothing, and is told what they may', async () => {
    await withCli(async (anna) => {
      await withCli(async (eva) => {
        for (const { print } of [anna, eva]) await print('config', 'set', 'sharing.live', 'false');
        await anna.print('remote', 'add', 'team', server.socket);
        await anna.print('remote', 'init');
        await anna.print('new', 'plans');
        await anna.print('add', 'plans', 'first');
        await anna.print('share', 'plans');
        await eva.print('remote', 'add', 'team', address('eva', EVA));
        expect(await eva.print('remote', 'doctor')).toMatch(/not encrypted\nversion \d+\nyou may read only\n/);
        await eva.print('pull', 'team/plans');
        await eva.print('add', 'plans', 'mine');
        expect(await failure(eva, 'push')).toMatch(/does not let you do that \(42501\)[\s\S]*GRANT cognition_writer/);
        await anna.print('add', 'plans', 'second');
        await anna.print('push');
        expect(await eva.print('pull')).toContain('received 1 node');
        expect(await eva.print('show', 'plans')).toMatch(/mine[\s\S]*second|second[\s\S]*mine/);
      });
    });
  });

  test('no password is told or stored but in the configuration, and a remote that is away is told in a line', async () => {
    await withCli(async (anna) => {
      await anna.print('remote', 'add', 'team', address('owner', 'canary-wrong'));
      expect(await failure(anna, 'remote', 'doctor')).toMatch(/the remote team refuses the login/);
      await anna.print('remote', 'add', 'away', 'postgres://me:canary-away@127.0.0.1:1/db');
      expect(await failure(anna, 'sync', 'away')).toMatch(/the remote away cannot be reached \(ECONNREFUSED\)/);
      expect(await failure(anna, 'remote', 'add', 'Bad Name', '/x')).toContain('is no name for a remote');
      expect(await failure(anna, 'sync', 'nobody')).toMatch(/no remote "nobody"[\s\S]*say which: team, away/);
      expect(await failure(anna, 'share', '@', 'team')).not.toContain('canary');
      expect(await anna.print('config', 'list', '--set')).not.toContain('canary');
      expect(await anna.print('remote', 'remove', 'away')).toBe('away is forgotten.\n');
      await anna.print('hub', 'stop');
      const found = readdirSync(anna.home, { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(anna.home, path)).isFile())
        .filter((path) => readFileSync(join(anna.home, path)).includes('canary'));
      expect(found).toEqual(['config']);
    });
  });
});
