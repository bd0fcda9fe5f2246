import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFile } from '../../hub/base/disk/durable_file.js';
import { HubError } from '../../hub/base/error.js';
import { committedFrames, foundFrames, noteLostFrames } from './lost_wal_frames.js';
import { MIGRATIONS } from './schema.js';
import { openStore, type Store } from './store.js';

/** Opens the database for writing and migrates it; `newEpoch` is its epoch when it is created now. */
export function openDatabase(path: string, newEpoch: string): Store {
  const committed = committedFrames(path);
  const store = openStore({ path, access: 'write', synchronous: 'full' });
  const found = foundFrames(store);
  // Deleted data is overwritten, so that a purge leaves nothing in the file.
  store.pragma('secure_delete = on');
  migrate(store, path, newEpoch);
  noteLostFrames(store, { committed, found });
  return store;
}

/** Migrates a database to this program's schema, after keeping a copy of it. */
function migrate(store: Store, path: string, newEpoch: string): void {
  const version = Number(store.pragma('user_version'));
  if (version > MIGRATIONS.length) {
    throw new HubError(
      'version',
      `${path} was written by a newer cognition (schema ${version}, known: ${MIGRATIONS.length})`,
      {
        hint: 'install the newer version: npm install -g cognition@latest',
      },
    );
  }
  if (version === MIGRATIONS.length) return;
  if (version > 0) keepCopy(store, path, version);
  store.exec('BEGIN EXCLUSIVE');
  for (const step of MIGRATIONS.slice(version)) store.exec(step);
  if (version === 0) {
    store.run("INSERT INTO meta (key, value) VALUES ('epoch', ?)", newEpoch);
  }
  store.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  store.exec('COMMIT');
}

function keepCopy(store: Store, path: string, version: number): void {
  const copy = `${path}.schema-${version}`;
  if (existsSync(copy)) return;
  // After the checkpoint, and with no other connection, the file alone is the whole database.
  store.pragma('wal_checkpoint(TRUNCATE)');
  // Renamed only when it is whole: a copy that a crash cut short must not count.
  const draft = `${copy}.part`;
  copyFileSync(path, draft);
  syncFile(draft);
  renameSync(draft, copy);
  syncFile(dirname(copy));
}
