import { once } from 'node:events';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLink } from '../../../hub/client/link.js';
import { homePaths } from '../../../hub/config/config.js';
import { start } from '../../gauntlet/processes.js';
import { HUB_ENTRY, type TestHub, withHub } from '../../support/hub.js';

/** A connection to the hub that runs now: it closes when that ends. */
async function linkTo({ home }: TestHub) {
  const link = await openLink({ kind: 'socket', path: homePaths(home).socket }, { version: '0', protocol: 1 });
  if (link === null) throw new Error('no hub runs');
  return link.socket;
}

test.each(['lock', 'database'] as const)('a hub whose %s file was deleted ends, and another one can follow', (file) =>
  withHub(async (hub) => {
    const before = await hub.pid();
    const gone = once(await linkTo(hub), 'close');
    rmSync(homePaths(hub.home)[file]);
    await gone;
    expect(readFileSync(homePaths(hub.home).hubLog, 'utf8')).toContain(
      `${file === 'lock' ? 'hub.lock' : 'trees.db'} was`,
    );
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
