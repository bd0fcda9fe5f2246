import { HubError } from '../error.js';
import { betterSqlite } from './better_sqlite.js';
import { noSqlite } from './no_sqlite.js';
import { nodeSqlite } from './node_sqlite.js';
import type { SqliteLibrary } from './sqlite_driver.js';

/** `node` has Node's own SQLite serve though the package could: for whoever tries it. */
const wanted = process.env.COGNITION_SQLITE;

const chosen = wanted === 'node' ? (nodeSqlite() ?? noSqlite(null)) : await betterSqlite().catch(inItsPlace);

/** The library that serves here; throws, with what to do, where none does. */
export function sqliteLibrary(): SqliteLibrary {
  if (chosen instanceof HubError) throw chosen;
  return chosen;
}

function inItsPlace(error: unknown): SqliteLibrary | HubError {
  return nodeSqlite() ?? noSqlite(error);
}
