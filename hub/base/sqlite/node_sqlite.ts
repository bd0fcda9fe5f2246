import { isSafeSqlite, type SqliteLibrary, type SqliteStatement, type SqlValue } from './sqlite_driver.js';

/** What is used of Node's module, which the types of the oldest Node served do not know. */
interface NodeModule {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => NodeDatabase;
}

interface NodeDatabase {
  prepare(sql: string): NodeStatement;
  exec(sql: string): void;
  isTransaction: boolean;
  close(): void;
}

interface NodeStatement {
  get(...values: SqlValue[]): Record<string, unknown> | undefined;
  all(...values: SqlValue[]): Record<string, unknown>[];
  run(...values: SqlValue[]): { changes: number | bigint };
  columns(): { name: string }[];
  setReadBigInts(isOn: boolean): void;
}

const MODULE: string = 'node:sqlite';

/** By their numbers: https://sqlite.org/rescode.html */
const CODES =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );
/** What follows IOERR, by the second byte of the number. */
const IO_CODES =
  '- READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE'.split(
    ' ',
  );

/** The SQLite that Node brings, in versions that the data is safe with: from 22.23 and 24.15 on. Null in other versions. */
export function nodeSqlite(): SqliteLibrary | null {
  if (!isSafeSqlite(process.versions.sqlite ?? '0')) return null;
  const module = loadQuietly();
  if (module === undefined) return null;
  const { DatabaseSync } = module;
  const cutsTexts = cutsAtNul(new DatabaseSync(':memory:', { readOnly: false }));
  return {
    name: 'node:sqlite',
    open(path, access) {
      const database = new DatabaseSync(path, { readOnly: access === 'read' });
      const prepare = (sql: string): NodeStatement => {
        const statement = database.prepare(sql);
        const isQuery = /^\s*(SELECT|WITH)\b/i.test(sql) && statement.columns().length > 0;
        return cutsTexts && isQuery ? database.prepare(escapedSql(sql, statement)) : statement;
      };
      return {
        prepare: (sql) => statementOf(prepare(sql), cutsTexts ? unescaped : asIs),
        exec: (sql) => database.exec(sql),
        inTransaction: () => database.isTransaction,
        close: () => database.close(),
      };
    },
    codeOf,
  };
}

/** Node warns of a module that is experimental to it; a person could do nothing with that. */
function loadQuietly(): NodeModule | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    // The types of Node name no module that the oldest Node served lacks.
    return process.getBuiltinModule?.(MODULE) as NodeModule | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return null;
  const code = CODES[error.errcode & 0xff] ?? 'ERROR';
  const io = code === 'IOERR' ? IO_CODES[error.errcode >> 8] : undefined;
  return `SQLITE_${code}${io === undefined || io === '-' ? '' : `_${io}`}`;
}

function statementOf(statement: NodeStatement, textOf: (text: string) => string): SqliteStatement {
  // By default it refuses integers beyond 2^53, such as a damaged row may have.
  statement.setReadBigInts(true);
  function plain(row: Record<string, unknown>): Record<string, unknown> {
    for (const [key, value] of Object.entries(row)) {
      if (typeof value === 'bigint') row[key] = Number(value);
      else if (typeof value === 'string') row[key] = textOf(value);
      else if (value instanceof Uint8Array) row[key] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return row;
  }
  return {
    get(values) {
      const row = statement.get(...values.map(orNull));
      return row === undefined ? undefined : plain(row);
    },
    all: (values) => statement.all(...values.map(orNull)).map(plain),
    run: (values) => Number(statement.run(...values.map(orNull)).changes),
  };
}

/** The package takes an absent value for NULL; Node refuses it. */
function orNull(value: SqlValue | undefined): SqlValue {
  return value ?? null;
}

/** Stands before the hex digits of a text that is read escaped. */
const ESCAPE = '\u{F8FF}hex:';

/** Whether texts are read only up to their first NUL, as in Node 22 and up to 24.15. */
function cutsAtNul(memory: NodeDatabase): boolean {
  const row = memory.prepare("SELECT 'a' || char(0) AS text").get();
  memory.close();
  return row?.text !== 'a\0';
}

/** A query whose texts with a NUL, or with the sign of an escaped one, come escaped. */
function escapedSql(sql: string, statement: NodeStatement): string {
  const columns = statement.columns().map(({ name }) => {
    const column = `"${name.replaceAll('"', '""')}"`;
    const isOdd = `typeof(${column}) = 'text' AND (instr(${column}, char(0)) OR substr(${column}, 1, 5) = '${ESCAPE}')`;
    return `iif(${isOdd}, '${ESCAPE}' || hex(${column}), ${column}) AS ${column}`;
  });
  return `SELECT ${columns.join(', ')} FROM (${sql})`;
}

function unescaped(text: string): string {
  return text.startsWith(ESCAPE) ? Buffer.from(text.slice(ESCAPE.length), 'hex').toString() : text;
}

function asIs(text: string): string {
  return text;
}
