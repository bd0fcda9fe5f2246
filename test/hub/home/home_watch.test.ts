import { once } from 'node:events';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLink } from '../../../hub/client/link.js';
import { homePaths } from '../../../hub/config/config.js';
import { watchFiles } from '../../../hub/home/home_watch.js';
import { start } from '../../gauntlet/processes.js';
import { HUB_ENTRY, type TestHub, withHub } from '../../support/hub.js';

/** A connection to the hub that runs now: it closes when that ends. */
async function linkTo({ home }: TestHub) {
  const link = await openLink({ kind: 'socket', path: homePaths(home).socket }, { version: '0', protocol: 1 });
  if (link === null) throw new Error('no hub runs');
  return link.socket;
}

test.each([
  ['hub.lock', 'lock', ''],
  ['trees.db', 'database', ''],
  ['trees.db-wal', 'database', '-wal'],
] as const)('a hub whose %s was deleted ends, and another one can follow', (name, file, suffix) =>
  withHub(async (hub) => {
    const before = await hub.pid();
    const gone = once(await linkTo(hub), 'close');
    rmSync(homePaths(hub.home)[file] + suffix);
    await gone;
    expect(readFileSync(homePaths(hub.home).hubLog, 'utf8')).toContain(`${name} was`);
    expect((await hub.client.call('health.check', {})).pid).not.toBe(before);
  }),
);

test('a hub whose home was moved away ends, and the old path can get a new hub', () =>
  withHub(async (hub) => {
    const { epoch } = hub.client.hub;
    const gone = once(await linkTo(hub), 'close');
    renameSync(hub.home, `${hub.home}.moved`);
    await gone;
    expect((await hub.client.call('health.check', {})).epoch).not.toBe(epoch);
  }));

test('no second hub starts beside one whose lock was deleted', () =>
  withHub(async (hub) => {
    const pid = await hub.pid();
    process.kill(pid, 'SIGSTOP'); // or it would notice
    rmSync(homePaths(hub.home).lock);
    const { code, stderr } = await start(HUB_ENTRY, [hub.home]).ended;
    process.kill(pid, 'SIGCONT');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('another hub listens on') });
  }));

test('a file that is gone before it is watched is reported as well', async () => {
  const gone = join(import.meta.dirname, 'none');
  expect(await new Promise((resolve) => watchFiles([gone], resolve))).toBe(gone);
});
