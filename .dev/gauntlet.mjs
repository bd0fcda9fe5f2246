// npm run gauntlet -- <name> [--seed N] [--count N] [--only 'part of a title']: runs a test of faults or of properties for longer than the suite does.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensure } from './ensure.mjs';

const COUNTS = {
  kill: 300,
  turns: 200,
  starts: 100,
  disk: 5,
  flips: 1_000,
  paths: 6_000,
  power: 2_000,
  io: 1_000,
  properties: 2_000,
  trees: 1_000,
  flood: 10,
  escape: 1_000,
  urls: 1_000,
  swaps: 10_000,
  prefixes: 10_000,
  chat: 2_000,
  take_over: 100,
  fairness: 1_000,
  frames: 100_000,
  sharing: 500,
  links: 20,
  workers: 60,
  files: 1_000,
  files_attacks: 3_000,
  files_plans: 1_000,
};
const TIMEOUT_MS = 3_600_000;

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
const [name = ''] = positionals;
const usualCount = COUNTS[name];
if (usualCount === undefined) {
  console.error(`usage: npm run gauntlet -- ${Object.keys(COUNTS).join('|')} [--seed N] [--count N] [--only title]`);
  process.exit(2);
}
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
const count = values.count ?? String(usualCount);
console.error(`gauntlet ${name}: seed ${seed}, count ${count}`);

ensure();
const { ROOT } = await import('./build.mjs');
const file = name === 'properties' ? 'test/properties' : `test/gauntlet/${name}.test.ts`;
const { status } = spawnSync(
  join(ROOT, 'node_modules', '.bin', 'vitest'),
  [
    ...['run', file, `--testTimeout=${TIMEOUT_MS}`, `--hookTimeout=${TIMEOUT_MS}`, '--reporter=verbose'],
    ...(values.only === undefined ? [] : ['-t', values.only]),
  ],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, GAUNTLET_SEED: seed, GAUNTLET_COUNT: count } },
);
process.exitCode = status ?? 1;
