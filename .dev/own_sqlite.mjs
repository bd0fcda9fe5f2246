// Whether the program finds an SQLite here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

// As hub/base/sqlite/sqlite_driver.ts says it, which can be asked only when there is a build.
const SQLITE_MIN = [3, 51, 3];

/** Whether this Node brings one that the program takes. */
export function hasOwnSqlite() {
  const parts = (process.versions.sqlite ?? '0').split('.').map(Number);
  const index = SQLITE_MIN.findIndex((least, at) => parts[at] !== least);
  return index === -1 || parts[index] > SQLITE_MIN[index];
}

/** Whether there is one at all: this Node's, or the package's native part. */
export function hasSqlite(root) {
  return (
    hasOwnSqlite() ||
    existsSync(join(root, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'))
  );
}
