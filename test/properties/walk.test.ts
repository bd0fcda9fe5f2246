import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { extent, randomFrom } from '../gauntlet/extent.js';
import { growRepository, isIgnoredByGit, listedByGit, listedByWalk } from './walk_trees.js';

const { seed, count } = extent(40);

test('the walk lists what git lists, in random repositories with random rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'));
  try {
    let listed = 0;
    for (let index = 0; index < count; index += 1) {
      const top = join(folder, String(index));
      mkdirSync(top);
      growRepository(top, randomFrom(seed + index));
      const expected = listedByGit(top);
      expect({ seed: seed + index, paths: listedByWalk(top) }).toEqual({ seed: seed + index, paths: expected });
      for (const { name } of readdirSync(top, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
        // Whoever starts in a folder that is ignored means it all the same.
        if (!/^[a-z]+$/.test(name) || isIgnoredByGit(top, name)) continue;
        const below = { seed: seed + index, name, paths: listedByWalk(top, [name]) };
        expect(below).toEqual({ ...below, paths: listedByGit(join(top, name)) });
      }
      listed += expected.length;
      rmSync(top, { recursive: true });
    }
    console.log(`walk: tried ${count}, failed 0 (${listed} files)`);
    expect(listed).toBeGreaterThan(count);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
