import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../support/cli.js';
import { connectTo, hubPid, withHome } from '../../support/hub.js';

// A lock that a script holds by a descriptor would be held for as long as the hub that one of its commands started.
test.runIf(process.platform === 'linux')(
  'a hub and its tools keep no descriptors of the process that started them',
  async () => {
    await withHome(async (home) => {
      const lock = join(dirname(home), 'lock');
      const script = 'exec 9>"$LOCK" && exec "$NODE" "$PROGRAM" list';
      const { status } = spawnSync('bash', ['-c', script], {
        env: { PATH: process.env.PATH ?? '', COGNITION_HOME: home, LOCK: lock, NODE: process.execPath, PROGRAM },
      });
      expect(status).toBe(0);
      const client = await connectTo(home, { start: false });
      const { pid: tools } = await client.call('tools.check', {});
      await client.close();
      for (const pid of [await hubPid(home), tools]) expect(openFiles(pid)).not.toContain(lock);
    });
  },
);

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return []; // closed since the folder was read
    }
  });
}
