import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTreeId } from '../../../cli/position/ids.js';
import { filesWords } from '../../../cli/sharing/shared_feed.js';
import { hearLive } from '../../hub/sharing/live_hubs.js';
import { withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { POSTGRES_BIN, type TestServer } from '../../tools/postgres/server.js';
import { LOGIN_PASSWORD, startRemote } from './fleet.js';

describe.skipIf(POSTGRES_BIN === null)('recorded files on their way', { timeout: 120_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRemote();
  });
  afterAll(() => server.stop());

  test('are told of by bytes, until all of them are there', async () => {
    await withCli(async ({ home, folder, print }) => {
      mkdirSync(join(folder, '.git'));
      await print('remote', 'add', 'team', server.loopback('anna', LOGIN_PASSWORD));
      await print('new', 'work');
      await print('exec', '@', 'head -c 3000000 /dev/urandom > large');
      const client = await connectTo(home, { start: false });
      const told = hearLive({ client });
      await print('share', 'work', '--files');
      const last = await told.first(
        (event) => event.kind === 'files_state' && event.of > 2_000_000 && event.bytes === event.of,
      );
      const states = told.all.filter((event) => event.kind === 'files_state');
      expect(states.length).toBeGreaterThan(1);
      expect(states.every(({ bytes, of }) => bytes <= of)).toBe(true);
      expect(last).toMatchObject({ remote: 'team', tree: states[0]?.tree });
      told.stop();
      await client.close();
    });
  });
});

test('files on their way are told by how much of them, and not when they are there', () => {
  const state = { kind: 'files_state' as const, remote: 'team', tree: newTreeId(), of: 3_000_000 };
  expect(filesWords({ ...state, bytes: 1_500_000 })).toBe('team: files 1.4 MiB of 2.9 MiB');
  expect(filesWords({ ...state, bytes: 3_000_000 })).toBeNull();
});
