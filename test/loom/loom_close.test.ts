import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { homePaths } from '../../hub/config/config.js';
import { withHome } from '../support/hub.js';
import { openStorage } from '../support/opened_storage.js';

describe('closing the storage empties the log beside the database', () => {
  test('also right after a check, whose thread is still ending', async () => {
    await withHome(async (home) => {
      const { call, close } = await openStorage(home);
      await call('loom.tree_create', {});
      await call('loom.fsck', {});
      await close();
      expect(existsSync(`${homePaths(home).database}-wal`)).toBe(false);
    });
  });

  test('also during checks: the one under way and the one behind it fail', async () => {
    await withHome(async (home) => {
      const { call, close } = await openStorage(home);
      await call('loom.tree_create', {});
      const checks = Promise.allSettled([call('loom.fsck', {}), call('loom.fsck', {})]);
      await new Promise(setImmediate);
      await close();
      expect(existsSync(`${homePaths(home).database}-wal`)).toBe(false);
      expect((await checks).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    });
  });
});
