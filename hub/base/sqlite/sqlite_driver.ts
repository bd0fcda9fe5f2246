export type SqlValue = string | number | bigint | Buffer | null;

/** A library that reads and writes SQLite files. All of them behave alike, whatever differs between their packages. */
export interface SqliteLibrary {
  name: 'better-sqlite3' | 'node:sqlite';
  /** Opens a file, which is created unless it is only read; nothing is waited for when another process holds it. */
  open(path: string, access: 'write' | 'read'): SqliteDatabase;
  /** The code of an SQLite failure, such as SQLITE_FULL; null for any other error. */
  codeOf(error: unknown): string | null;
}

export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  /** Runs statements without values. */
  exec(sql: string): void;
  inTransaction(): boolean;
  close(): void;
}

/** No statement stays open between two calls. Integers are numbers, and not exact beyond 2^53; bytes are a Buffer. */
export interface SqliteStatement {
  get(values: SqlValue[]): Record<string, unknown> | undefined;
  all(values: SqlValue[]): Record<string, unknown>[];
  /** Returns the number of rows changed. */
  run(values: SqlValue[]): number;
}

/** Earlier versions damage a file in WAL mode that several connections write: https://sqlite.org/wal.html#walresetbug */
const SQLITE_MIN = [3, 51, 3] as const;

/** Whether this version of SQLite is one that the data is safe with. */
export function isSafeSqlite(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of SQLITE_MIN.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
