// npm test, npm run test:all: what one waits for at work, or everything. Usage: node .dev/test.mjs quick|long|all [options of vitest]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensure } from './ensure.mjs';
import { hasOwnSqlite } from './own_sqlite.mjs';

const [part = '', ...given] = process.argv.slice(2);

ensure();
const { ROOT } = await import('./build.mjs');
// Whoever names a file means it, in whichever part it is.
const isNamed = given.some((word) => !word.startsWith('-'));
if (!hasOwnSqlite())
  console.error(`test/loom runs over better-sqlite3 alone: Node ${process.versions.node} brings no SQLite that serves`);
const { status } = spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), ['run', ...given], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, TEST_PART: isNamed ? 'all' : part },
});
process.exitCode = status ?? 1;
