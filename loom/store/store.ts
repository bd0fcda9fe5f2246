import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { SqliteDatabase, SqliteStatement, SqlValue } from '../../hub/base/sqlite/sqlite_driver.js';
import { sqliteLibrary } from '../../hub/base/sqlite/sqlite_library.js';

const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 8_192;

/** One connection to a database file. Statements are prepared once and kept. */
export interface Store {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /** Returns the number of rows changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Runs statements without values. */
  exec(sql: string): void;
  pragma(text: string): unknown;
  /** False outside a transaction: SQLite itself ends one on some failures, such as a full disk. */
  inTransaction(): boolean;
  close(): void;
}

export interface StoreOptions {
  path: string;
  access: 'write' | 'read';
  /** `full` survives a power cut; `off` is for data that can be derived again. */
  synchronous: 'full' | 'off';
}

/** Opens a database file in WAL mode; throws when data would not be safe in it. */
export function openStore(options: StoreOptions): Store {
  const database = openFile(options);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (options.access === 'write') useWal(database, options.path);
    database.exec(`PRAGMA synchronous = ${options.synchronous}`);
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = memory; PRAGMA foreign_keys = on`);
  } catch (error) {
    database.close();
    throw error instanceof HubError ? error : storageError(error);
  }
  return storeOn(database);
}

function storeOn(database: SqliteDatabase): Store {
  const statements = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    const existing = statements.get(sql);
    if (existing !== undefined) return existing;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    // Rows are typed by the caller of the statement: SQL is the only place where their shape is written.
    get: <Row>(sql: string, ...values: SqlValue[]) => prepare(sql).get(values) as Row | undefined,
    all: <Row>(sql: string, ...values: SqlValue[]) => prepare(sql).all(values) as Row[],
    run: (sql, ...values) => prepare(sql).run(values),
    exec: (sql) => database.exec(sql),
    pragma: (text) => firstValue(prepare(`PRAGMA ${text}`)),
    inTransaction: () => database.inTransaction(),
    close: () => database.close(),
  };
}

function firstValue(statement: SqliteStatement): unknown {
  return Object.values(statement.get([]) ?? {})[0];
}

function openFile({ path, access }: StoreOptions): SqliteDatabase {
  const library = sqliteLibrary();
  try {
    return library.open(path, access);
  } catch (error) {
    throw storageError(error, path);
  }
}

function useWal(database: SqliteDatabase, path: string): void {
  const mode = firstValue(database.prepare('PRAGMA journal_mode = wal'));
  if (mode === 'wal') return;
  throw new HubError('storage_failed', `${path} cannot be opened in WAL mode (it is in mode ${String(mode)})`, {
    hint: 'a home on a network file system would be damaged by two machines: set COGNITION_HOME to a local folder',
  });
}

/** The code of an SQLite failure, such as SQLITE_FULL; null for any other error. */
export function sqliteCode(error: unknown): string | null {
  return sqliteLibrary().codeOf(error);
}

const DAMAGED = ' is damaged';

/** Whether a failure says that the database itself is damaged. */
export function isDamage({ kind, message }: Pick<HubError, 'kind' | 'message'>): boolean {
  return kind === 'storage_failed' && message.endsWith(DAMAGED);
}

/** A failure of SQLite or of the file system as an error with a hint. */
export function storageError(error: unknown, path = 'the database'): HubError {
  const code = sqliteCode(error) ?? errnoOf(error);
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE' || code === 'ENOSPC') {
    return new HubError('disk_full', `the disk with ${path} is full; nothing of this call was stored`, {
      hint: 'make room and try again',
      retryable: true,
      cause: error,
    });
  }
  if (code === 'SQLITE_READONLY' || code === 'SQLITE_CANTOPEN' || code === 'EACCES' || code === 'EROFS') {
    return new HubError('storage_failed', `${path} cannot be opened for writing`, {
      hint: 'check who owns the home folder and whether its disk is mounted read-only',
      cause: error,
    });
  }
  if (code?.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new HubError('storage_failed', `${path}${DAMAGED}`, {
      hint: ['run: ', cliCommand('fsck'), '   (it names what is damaged and can export the rest)'],
      cause: error,
    });
  }
  if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) {
    return new HubError('storage_failed', `${path} is held by another program; nothing of this call was stored`, {
      hint: 'end what else has it open, such as sqlite3 or a backup, and try again',
      retryable: true,
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new HubError('storage_failed', `${path} failed: ${reason}`, {
    hint: ['run: ', cliCommand('hub logs')],
    cause: error,
  });
}
