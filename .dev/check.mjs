// npm run check: everything that is checked without running the program. All checks run, also after one failed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensure } from './ensure.mjs';

ensure();
const { ROOT } = await import('./build.mjs');

const PARTS = ['cli', 'hub', 'loom', 'tools', 'test'].filter((name) => existsSync(join(ROOT, name)));
const CHECKS = {
  'style (biome)': 'biome check . --error-on-warnings',
  'types (tsc)': 'tsc -p .',
  'types of the page (tsc)': 'tsc -p cli/web/page',
  "types of the page's tests (tsc)": 'tsc -p test/web/page',
  'arrows (dependency-cruiser)': `depcruise --config .dependency-cruiser.mjs ${PARTS.join(' ')}`,
  'dead code (knip)': 'knip --treat-config-hints-as-errors',
  'house rules': 'vitest run test/tidy.test.ts test/house.test.ts test/arrows.test.ts',
};

const failed = Object.entries(CHECKS).filter(([name, command]) => {
  const [program = '', ...given] = command.split(' ');
  const path = join(ROOT, 'node_modules', '.bin', program);
  const { status } = spawnSync(path, given, { cwd: ROOT, stdio: 'inherit' });
  console.error(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
