import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../loom/migrate.js';
import { MIGRATIONS } from '../../loom/schema.js';
import { openStore, sqliteVersion } from '../../loom/store.js';
import { refusal } from '../support/refusal.js';

function withPath(run: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-migrate-'));
  try {
    run(join(folder, 'trees.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a new database has every step taken, in WAL mode, and commits that survive a power cut', () =>
  withPath((path) => {
    const store = openDatabase(path, 'epoch-1');
    expect([store.pragma('user_version'), store.pragma('journal_mode'), store.pragma('synchronous')]).toEqual([
      ...[MIGRATIONS.length, 'wal', 2],
    ]);
    store.close();
    expect(existsSync(`${path}.schema-0`)).toBe(false);
  }));

test('opening it again keeps its epoch', () =>
  withPath((path) => {
    openDatabase(path, 'epoch-1').close();
    const store = openDatabase(path, 'epoch-2');
    expect(store.get('SELECT value FROM meta WHERE key = ?', 'epoch')).toEqual({ value: 'epoch-1' });
    store.close();
  }));

test('a database of a newer version is refused and left as it is', () =>
  withPath((path) => {
    const newer = openStore({ path, access: 'write', synchronous: 'full' });
    newer.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    newer.close();
    const error = refusal(() => openDatabase(path, 'epoch-1'));
    expect(error.kind).toBe('version');
    expect(error.message).toBe(
      `${path} was written by a newer cognition (schema ${MIGRATIONS.length + 1}, known: ${MIGRATIONS.length})`,
    );
  }));

test('the SQLite library is new enough', () => {
  expect(sqliteVersion().split('.').map(Number)[0]).toBe(3);
});
