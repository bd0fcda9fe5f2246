import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import { homePaths } from '../../../hub/config/config.js';
import { connectTo, withHub } from '../../support/hub.js';

const problems = async (client: Client) => (await client.call('loom.fsck', {})).problems.map(({ problem }) => problem);

/** What `fsck` says after a hub was killed and something was done to its WAL; each time that a hub is started. */
async function foundAfter(change: (wal: string) => void, starts = 1): Promise<string[][]> {
  return withHub(async (hub) => {
    for (let count = 0; count < 20; count += 1) await hub.client.call('loom.tree_create', {});
    await hub.kill();
    change(`${homePaths(hub.home).database}-wal`);
    const said: string[][] = [];
    while (said.length < starts) {
      const client = await connectTo(hub.home);
      said.push(await problems(client));
      await client.close();
      await hub.kill();
    }
    return said;
  });
}

const flip = (offset: (size: number) => number) => (wal: string) => {
  const bytes = readFileSync(wal);
  const at = offset(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(wal, bytes);
};

const LOST = expect.stringMatching(/^trees\.db-wal was changed while no hub ran: \d+ of the \d+ pages .* are gone$/);

describe('a WAL that a killed hub has left', () => {
  test('and that nobody has touched has no problem', async () => {
    expect(await foundAfter(() => undefined)).toEqual([[]]);
  });

  test('and that was removed is told by fsck, also later', async () => {
    expect(await foundAfter((wal) => rmSync(wal), 2)).toEqual([[LOST], [LOST]]);
  });

  test.each<[string, (wal: string) => void]>([
    ['emptied', (wal) => truncateSync(wal)],
    ['cut short', (wal) => truncateSync(wal, 3 * 4096)],
    ['changed in its header', flip(() => 17)],
    ['changed in its middle', flip((size) => Math.floor(size / 2))],
  ])('and that was %s is told by fsck', async (_, change) => {
    expect(await foundAfter(change)).toEqual([[LOST]]);
  });
});
