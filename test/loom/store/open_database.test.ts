import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../loom/store/open_database.js';
import { MIGRATIONS } from '../../../loom/store/schema.js';
import { openStore } from '../../../loom/store/store.js';
import { recoverFromCrash } from '../../../loom/threads/crash_recovery.js';
import { APPENDS, WRITE_OPS } from '../../../loom/threads/write_operations.js';
import { createCommitter } from '../../../loom/write/commit.js';
import { idsInOrder } from '../../support/ids.js';
import { refusal } from '../../support/refusal.js';
import { text } from '../../support/trees.js';

function withPath(run: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-migrate-'));
  try {
    run(join(folder, 'trees.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a new database has all migrations, WAL mode and commits that survive a power cut', () =>
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

const NODES = 500;

/** Takes back what the steps after the first have made. */
const LATER = `
  DROP VIEW archived_branches;
  DROP TRIGGER archived_added;
  DROP TRIGGER archived_again;
  ALTER TABLE archived_rows DROP COLUMN row_sum;
  ALTER TABLE archived_rows RENAME TO archived_branches;
  DROP TABLE origins;
  DROP TABLE hubs;
  DROP TABLE registers;
  DROP TABLE shares;
  DROP TABLE reordered_parents;
  DROP INDEX nodes_with_meta;
  ALTER TABLE nodes DROP COLUMN meta;
  DROP TRIGGER trees_changed;
  ALTER TABLE changes DROP COLUMN row_sum;
  ALTER TABLE marks DROP COLUMN row_sum;
  ALTER TABLE trees DROP COLUMN row_sum;
  DROP INDEX trees_by_fork;
  ALTER TABLE trees DROP COLUMN fork_node;
  ALTER TABLE trees DROP COLUMN fork_tree;
  DROP TABLE copies;
  DROP TABLE snapshots;
  ALTER TABLE settings DROP COLUMN untrusted;
  ALTER TABLE nodes DROP COLUMN imported;
  ALTER TABLE nodes DROP COLUMN listing_sum;
  DROP TABLE loose_files;
  DROP INDEX turns_waiting;
  DROP TABLE questions;
  DROP TABLE requests;
  DROP TABLE inputs;
`;

/** A database with the first step taken and no other, and a tree with a running turn in it. */
function writeFirstSchema(path: string): { tree: string; turn: string } {
  const store = openStore({ path, access: 'write', synchronous: 'full' });
  for (const step of MIGRATIONS) store.exec(step);
  store.run("INSERT INTO meta (key, value) VALUES ('epoch', 'epoch-1')");
  const newId = idsInOrder();
  const { commit } = createCommitter({ store, outputs: path, ops: WRITE_OPS, appends: APPENDS, sweep: () => '{}' });
  const [tree, turn] = [newId(), newId()];
  const calls: { op: keyof typeof WRITE_OPS; params: object }[] = [
    { op: 'loom.tree_create', params: { id: tree, name: 'old', project: null, owner: null } },
    { op: 'loom.turn_start', params: { id: turn, tree, node: tree } },
  ];
  for (let parent = tree; calls.length < NODES + 2; ) {
    const id = newId();
    const params = { id, tree, parent, role: 'user', blocks: text('said'), settings: null };
    calls.push({ op: 'loom.node_create_text', params });
    parent = id;
  }
  const { replies } = commit(calls.map((call, id) => ({ id, atMs: 1, ...call })));
  expect(replies.filter((reply) => 'error' in reply)).toEqual([]);
  store.exec(LATER);
  store.pragma('user_version = 1');
  store.close();
  return { tree, turn };
}

test('a database of the first schema is migrated without touching a row, and a copy is kept', () =>
  withPath((path) => {
    const { turn } = writeFirstSchema(path);
    const store = openDatabase(path, 'epoch-2');
    const tables = 'SELECT (SELECT count(*) FROM inputs) + (SELECT count(*) FROM requests) AS rows';
    expect([store.pragma('user_version'), store.get(tables)]).toEqual([MIGRATIONS.length, { rows: 0 }]);
    expect(store.get('SELECT total_changes() AS changed')).toEqual({ changed: 0 });
    expect(store.get('SELECT count(*) AS nodes FROM nodes')).toEqual({ nodes: NODES + 1 });
    expect(store.get("SELECT value FROM meta WHERE key = 'epoch'")).toEqual({ value: 'epoch-1' });
    const ops = { ...WRITE_OPS, start: recoverFromCrash };
    const { commit } = createCommitter({ store, outputs: path, ops, appends: APPENDS, sweep: () => '{}' });
    expect(commit([{ id: 1, atMs: 2, op: 'start', params: {} }]).replies).toEqual([{ id: 1, json: '{}' }]);
    expect(store.get('SELECT lower(hex(id)) AS id, state FROM turns')).toEqual({
      ...{ id: turn.replaceAll('-', ''), state: 'interrupted' },
    });
    store.close();
    const copy = openStore({ path: `${path}.schema-1`, access: 'read', synchronous: 'off' });
    expect([copy.pragma('user_version'), copy.pragma('integrity_check')]).toEqual([1, 'ok']);
    expect(copy.get('SELECT count(*) AS nodes FROM nodes')).toEqual({ nodes: NODES + 1 });
    copy.close();
  }));

test('a migrated database has the same tables as a new one', () =>
  withPath((path) => {
    writeFirstSchema(path);
    const schema = (of: string) => {
      const store = openDatabase(of, 'epoch-2');
      const rows = store.all('SELECT type, name, sql FROM sqlite_schema ORDER BY name');
      store.close();
      return rows;
    };
    expect(schema(path)).toEqual(schema(`${path}.new`));
  }));
