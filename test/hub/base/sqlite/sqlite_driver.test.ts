import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { betterSqlite } from '../../../../hub/base/sqlite/better_sqlite.js';
import { nodeSqlite } from '../../../../hub/base/sqlite/node_sqlite.js';
import { isSafeSqlite, type SqliteLibrary } from '../../../../hub/base/sqlite/sqlite_driver.js';

const own = nodeSqlite();
// Its native part may be for another version of Node than the one that runs this.
const installed = await betterSqlite().catch(() => null);
const libraries = [installed, own]
  .filter((library): library is SqliteLibrary => library !== null)
  .map((library): [string, SqliteLibrary] => [library.name, library]);
const left = libraries.map(([name]) => name).join(' and ');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cognition-sqlite-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test(`Node's own SQLite serves where its version damages no files in WAL mode (tried here: ${left})`, () => {
  expect(libraries).not.toEqual([]);
  expect(['3.47.2', '3.51.2', '3.51.3', '3.53.0', '4.0.0'].map(isSafeSqlite)).toEqual([false, false, true, true, true]);
  expect(own !== null).toBe(isSafeSqlite(process.versions.sqlite ?? '0'));
});

test.each(libraries)('%s reads what was stored: NULs, bytes, large numbers, and what is no text', (_, library) => {
  const database = library.open(join(folder, 'a.db'), 'write');
  database.exec('CREATE TABLE t (k INTEGER PRIMARY KEY, v ANY) STRICT');
  const insert = database.prepare('INSERT INTO t (v) VALUES (?)');
  const values = ['a\0b\0', '', '\u{F8FF}hex:4142', '🌳', 7, 1.5, -0, 2 ** 40, 9_007_199_254_740_993n, null];
  expect([...values, Buffer.from([0, 255])].map((value) => insert.run([value]))).toEqual(Array(11).fill(1));
  const rows = database.prepare('SELECT v AS value FROM t WHERE k > ? ORDER BY k').all([0]);
  expect(rows.map(({ value }) => value)).toEqual([
    ...values.slice(0, 8),
    9_007_199_254_740_992,
    null,
    Buffer.from([0, 255]),
  ]);
  expect(Buffer.isBuffer(rows[10]?.value)).toBe(true);
  expect(database.prepare("SELECT CAST(x'61ff62' AS TEXT) AS text").get([])).toEqual({ text: 'a\ufffdb' });
  expect(database.prepare('SELECT v FROM t WHERE k = ?').get([99])).toBeUndefined();
  expect(database.prepare('PRAGMA user_version = 3').get([])).toBeUndefined();
  expect(database.prepare('PRAGMA user_version').get([])).toEqual({ user_version: 3 });
  const absent = [undefined] as unknown as null[];
  expect(database.prepare('SELECT ? IS NULL AS is_null').get(absent)).toEqual({ is_null: 1 });
  database.close();
});

test.each(libraries)('%s tells its failures by the same codes', (_, library) => {
  const path = join(folder, 'a.db');
  const database = library.open(path, 'write');
  const other = library.open(path, 'write');
  const codeOf = (work: () => unknown): string | null => {
    try {
      work();
      return 'none';
    } catch (error) {
      return library.codeOf(error);
    }
  };
  database.exec('PRAGMA journal_mode = wal; CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL) STRICT; BEGIN');
  database.prepare("INSERT INTO t VALUES (1, 'x')").run([]);
  expect([database.inTransaction(), other.inTransaction()]).toEqual([true, false]);
  expect(codeOf(() => other.exec('BEGIN IMMEDIATE'))).toBe('SQLITE_BUSY');
  expect(codeOf(() => database.prepare('INSERT INTO t VALUES (2, NULL)').run([]))).toMatch(/^SQLITE_CONSTRAINT/);
  database.exec('COMMIT');
  const pages = Number(database.prepare('PRAGMA page_count').get([])?.page_count);
  database.exec(`PRAGMA max_page_count = ${pages}; BEGIN`);
  expect(codeOf(() => database.prepare('INSERT INTO t VALUES (3, ?)').run(['x'.repeat(1e6)]))).toBe('SQLITE_FULL');
  expect(database.inTransaction()).toBe(false); // SQLite has ended it
  expect(codeOf(() => database.exec('SELEC'))).toBe('SQLITE_ERROR');
  expect(codeOf(() => library.open(join(folder, 'none.db'), 'read'))).toBe('SQLITE_CANTOPEN');
  const reader = library.open(path, 'read');
  expect(codeOf(() => reader.exec("INSERT INTO t VALUES (4, 'x')"))).toBe('SQLITE_READONLY');
  expect(library.codeOf(new TypeError('no'))).toBeNull();
  for (const each of [reader, other, database]) each.close();
});
