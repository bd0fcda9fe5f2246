import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import { bindSocket } from '../../../hub/server/bind.js';
import { createListener } from '../../../hub/server/handshake.js';
import { connectTo, withHome } from '../../support/hub.js';

test('a hub that is ending counts as absent: the next one is started when it has gone', async () => {
  await withHome(async (home) => {
    mkdirSync(home, { mode: 0o700 });
    const { socket } = homePaths(home);
    let turnedAway = 0;
    const enter = () => expect.unreachable();
    const ending = createListener({
      rules: () => null,
      enter,
      admits() {
        turnedAway += 1;
        if (turnedAway === 3) binding.stop();
        return 'ending';
      },
    });
    const binding = await bindSocket(ending, socket);
    const client = await connectTo(home);
    expect((await client.call('health.check', {})).home).toBe(home);
    expect(turnedAway).toBeGreaterThanOrEqual(3);
    await client.close();
  });
});

test('a hub that is ending is not there for a client that starts none', async () => {
  await withHome(async (home) => {
    mkdirSync(home, { mode: 0o700 });
    const enter = () => expect.unreachable();
    const ending = createListener({ rules: () => null, enter, admits: () => 'ending' });
    const binding = await bindSocket(ending, homePaths(home).socket);
    await expect(connectTo(home, { start: false })).rejects.toMatchObject({ kind: 'unreachable', retryable: true });
    binding.stop();
  });
});
