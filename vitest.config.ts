import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** Faults, attacks and floods: minutes of them, apart from what one waits for at work. */
const LONG = [
  'test/gauntlet/**/*.test.ts',
  'test/properties/**/*.test.ts',
  'test/cli/repl/attacks/**/*.test.ts',
  'test/cli/repl/screen/screen_failures_*.test.ts',
  'test/cli/repl/screen/screen_odd_terminals.test.ts',
  'test/cli/repl/terminal/screen_resize_storm.test.ts',
  'test/cli/repl/terminal/resize.test.ts',
  'test/cli/repl/terminal/screen_suspend.test.ts',
  'test/tools/file/path/swap.test.ts',
  'test/tools/postgres/**/*.test.ts',
  'test/tools/http/fetch_url.test.ts',
  'test/tools/conformance.test.ts',
  'test/tools/round_trip.test.ts',
];

/** `quick`: what is not long; `long`: the rest; everything when nothing is said. */
const part = process.env.TEST_PART;

export default defineConfig({
  define: { COGNITION_VERSION: JSON.stringify(version) },
  test: {
    include: part === 'long' ? LONG : ['test/**/*.test.ts'],
    exclude: part === 'quick' ? LONG : [],
    globalSetup: ['.dev/test_build.mjs'],
    // Tests start processes and measure nothing: limits only end what hangs.
    pool: 'forks',
    // They mostly wait for processes that they have started: on two cores the usual one at a time would idle half the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
