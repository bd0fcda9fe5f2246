import type Database from 'better-sqlite3';
import { isSafeSqlite, type SqliteLibrary, type SqliteStatement, type SqlValue } from './sqlite_driver.js';

/**
 * Keeps native objects alive: Node 24.19 and newer abort the process when one of better-sqlite3 12 is garbage-collected
 * outside of a running script. There is one per statement, so text that varies belongs into values, never into SQL.
 */
const kept: object[] = [];

function keep<Native extends object>(native: Native): Native {
  kept.push(native);
  return native;
}

/** The package better-sqlite3; rejects where it is not installed or its native part cannot be loaded. */
export async function betterSqlite(): Promise<SqliteLibrary> {
  const { default: Package } = await import('better-sqlite3');
  // The native part is loaded with the first database.
  const memory = keep(new Package(':memory:'));
  const version = String(keep(memory.prepare('SELECT sqlite_version()')).pluck().get());
  memory.close();
  if (!isSafeSqlite(version)) throw new Error(`its SQLite ${version} is too old`);
  return {
    name: 'better-sqlite3',
    open(path, access) {
      const isRead = access === 'read';
      const database = keep(new Package(path, { readonly: isRead, fileMustExist: isRead, timeout: 0 }));
      return {
        prepare: (sql) => statementOf(keep(database.prepare<SqlValue[], Record<string, unknown>>(sql))),
        exec: (sql) => {
          database.exec(sql);
        },
        inTransaction: () => database.inTransaction,
        close: () => {
          database.close();
        },
      };
    },
    codeOf: (error) => (error instanceof Package.SqliteError ? error.code : null),
  };
}

function statementOf(statement: Database.Statement<SqlValue[], Record<string, unknown>>): SqliteStatement {
  return {
    get(values) {
      if (statement.reader) return statement.get(...values);
      statement.run(...values);
      return undefined;
    },
    all: (values) => statement.all(...values),
    run: (values) => statement.run(...values).changes,
  };
}
