import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { withFolder } from '../support/hub.js';
import { tries } from '../support/mounts.js';
import { compileDiskShim } from './disk_log.js';
import { extent, randomFrom, timeFor } from './extent.js';
import { countChanges, tryFault } from './io.js';

const canFail = process.platform === 'linux' && tries('cc', ['--version']);
const { ENOSPC, EIO } = constants.errno;

test.runIf(canFail)(
  'a disk that fails at any change loses nothing that was answered, and the hub says so and lives on',
  { timeout: timeFor(3_600_000) },
  () =>
    withFolder(async (folder) => {
      const shim = compileDiskShim(folder);
      const changes = await countChanges(folder, shim);
      const faults = Array.from({ length: changes }, (_, at) =>
        [ENOSPC, EIO].map((errno) => ({ at: at + 1, errno })),
      ).flat();
      const { seed, count } = extent(6);
      const random = randomFrom(seed);
      const chosen = faults.map((fault) => ({ fault, order: random() })).sort((a, b) => a.order - b.order);
      const failures: string[] = [];
      let refused = 0;
      const tried = chosen.slice(0, count);
      for (const { fault } of tried) {
        const { problem, isRefused } = await tryFault(folder, shim, fault);
        if (isRefused) refused += 1;
        if (problem !== null) failures.push(`change ${fault.at} fails with ${fault.errno}: ${problem}`);
      }
      console.log(
        `io: tried ${tried.length} of ${faults.length}, failed ${failures.length} (seed ${seed}; ${refused} refused something)`,
      );
      expect(failures).toEqual([]);
      expect(refused).toBeGreaterThan(0);
    }),
);
