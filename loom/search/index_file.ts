import { existsSync, rmSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import type { Slices } from '../paging/slices.js';
import { endOfSlice } from '../read/node_rows.js';
import { newestSeq } from '../store/newest_seq.js';
import { openStore, type Store, sqliteCode } from '../store/store.js';
import { searchableText } from './indexed_text.js';
import { folded, type Term } from './terms.js';

/** Raised when the format of the file or the folding of texts changes. */
const INDEX_VERSION = '1';
/** The largest text that is indexed by trigrams; larger ones are scanned. */
const INDEXED_BYTES_MAX = 256 * 1024;
/** Nodes with more JSON are not even read for the index: their text is nearly all of it. */
const READ_BYTES_MAX = 4 * INDEXED_BYTES_MAX;
/** How much text one slice indexes. */
const SLICE_BYTES = 128 * 1024;
/** The shortest word that the index can find. */
const INDEXED_WORD_LENGTH = 3;

const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE large (seq INTEGER PRIMARY KEY) STRICT;
  CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'trigram', content = '');
`;

// The number of bytes stands at the beginning of a row.
const IS_READ = `octet_length(n.blocks) + coalesce(octet_length(n.external), 0) <= ${READ_BYTES_MAX}`;
export const TEXTS_BETWEEN = `
  SELECT n.seq, iif(${IS_READ}, n.external, NULL) AS external, iif(${IS_READ}, n.blocks, NULL) AS blocks
  FROM nodes n WHERE n.seq > ? AND n.seq <= ? ORDER BY n.seq`;

/** The SQLite codes of a damaged or foreign file. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|ERROR|CONSTRAINT)/;

const MATCHES_BEFORE = 'SELECT rowid AS seq FROM texts WHERE texts MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?';
const LARGE_BEFORE = 'SELECT seq FROM large WHERE seq < ? ORDER BY seq DESC LIMIT ?';

/** The full-text index: a file of its own, derived from the nodes and rebuilt whenever it does not fit them. */
export interface SearchIndex {
  /** Indexes every node up to this number of the feed. */
  catchUp(main: Store, target: number): Slices<void>;
  /** The newest nodes before a number that may match a `matchQuery`, newest first. */
  candidates(query: string, before: number, limit: number): number[];
  /** Whether it has failed in a way that only a rebuild repairs. */
  isDamaged(): boolean;
  /** Deletes the file, which also holds what was purged. */
  reset(): void;
  close(): void;
}

/** The FTS5 query for these terms; null when no word is long enough for the index. */
export function matchQuery(terms: readonly Term[]): string | null {
  const words = terms.flat().filter((word) => Array.from(word).length >= INDEXED_WORD_LENGTH && !word.includes('\0'));
  // Inside quotes everything is plain text, apart from the quote itself.
  return words.length === 0 ? null : words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
}

interface OpenIndex {
  store: Store;
  indexedTo: number;
}

export function openSearchIndex(path: string): SearchIndex {
  let index: OpenIndex | undefined;
  let isDamaged = false;

  function noteDamage<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // A full disk is no damage: a new index would not fit either.
      isDamaged = DAMAGE.test(sqliteCode(error) ?? '');
      throw error;
    }
  }

  function close(): void {
    index?.store.close();
    index = undefined;
  }

  function reset(): void {
    close();
    isDamaged = false;
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  }

  function open(main: Store): OpenIndex {
    index ??= openExisting(path, main) ?? recreate(main);
    return index;
  }

  function recreate(main: Store): OpenIndex {
    reset();
    return createIndex(path, main);
  }

  return {
    *catchUp(main, target) {
      for (let index = open(main); index.indexedTo < target; index = open(main)) {
        const slice = readSlice(main, { from: index.indexedTo, to: target });
        index.indexedTo = noteDamage(() => writeSlice(index.store, slice));
        yield;
      }
    },
    candidates(query, before, limit) {
      const store = index?.store;
      if (store === undefined) throw new HubError('internal', 'the search index was asked before it was caught up');
      return noteDamage(() => {
        const matches = store.all<{ seq: number }>(MATCHES_BEFORE, query, before, limit);
        const large = store.all<{ seq: number }>(LARGE_BEFORE, before, limit);
        const seqs = [...matches, ...large].map((row) => row.seq);
        return seqs.sort((left, right) => right - left).slice(0, limit);
      });
    },
    isDamaged: () => isDamaged,
    reset,
    close,
  };
}

/** The index file as it is; null when there is none or when it does not fit these nodes. */
function openExisting(path: string, main: Store): OpenIndex | null {
  if (!existsSync(path)) return null;
  let store: Store | undefined;
  try {
    store = openStore({ path, access: 'write', synchronous: 'off' });
    const meta = new Map(store.all<{ key: string; value: unknown }>('SELECT key, value FROM meta').map(entryOf));
    const indexedTo = Number(meta.get('seq'));
    const fits = meta.get('version') === INDEX_VERSION && meta.get('epoch') === metaOf(main, 'epoch');
    if (fits && indexedTo <= newestSeq(main) && !wasPurgedAfter(main, indexedTo)) return { store, indexedTo };
    store.close();
    return null;
  } catch (error) {
    store?.close();
    // Whatever is wrong with it, a new one is made; when that fails too, the caller gets that error.
    if (error instanceof Error) return null;
    throw error;
  }
}

function createIndex(path: string, main: Store): OpenIndex {
  const store = openStore({ path, access: 'write', synchronous: 'off' });
  store.exec(SCHEMA);
  const sql = "INSERT INTO meta (key, value) VALUES ('version', ?), ('epoch', ?), ('seq', 0)";
  store.run(sql, INDEX_VERSION, String(metaOf(main, 'epoch')));
  return { store, indexedTo: 0 };
}

function entryOf(row: { key: string; value: unknown }): [string, unknown] {
  return [row.key, row.value];
}

function metaOf(main: Store, key: string): unknown {
  return main.get<{ value: unknown }>('SELECT value FROM meta WHERE key = ?', key)?.value;
}

function wasPurgedAfter(main: Store, seq: number): boolean {
  const sql = `SELECT 1 FROM changes WHERE seq > ? AND body LIKE '{"kind":"tree_purged"%' LIMIT 1`;
  return seq > 0 && main.get(sql, seq) !== undefined;
}

interface Slice {
  /** Null for a text that is too large to be read. */
  texts: { seq: number; text: string | null }[];
  /** The last number of the feed that the slice covers. */
  end: number;
}

/** Reads the texts of the next nodes, of bounded number and size. */
function readSlice(main: Store, range: { from: number; to: number }): Slice {
  const end = endOfSlice(main, { tree: null, after: range.from, to: range.to }, SLICE_BYTES);
  const rows = main.all<{ seq: number; external: string | null; blocks: string | null }>(
    TEXTS_BETWEEN,
    range.from,
    end,
  );
  const textOf = (blocks: string | null, external: string | null): string | null =>
    blocks === null ? null : folded(searchableText(blocks, external));
  return { texts: rows.map((row) => ({ seq: row.seq, text: textOf(row.blocks, row.external) })), end };
}

/** Indexes a slice in one transaction and returns its end. */
function writeSlice(index: Store, { texts, end }: Slice): number {
  index.run('BEGIN');
  try {
    for (const { seq, text } of texts) insertText(index, seq, text);
    index.run("UPDATE meta SET value = ? WHERE key = 'seq'", end);
    index.run('COMMIT');
    return end;
  } finally {
    if (index.inTransaction()) index.run('ROLLBACK');
  }
}

function insertText(index: Store, seq: number, text: string | null): void {
  if (text === '') return;
  if (text === null || Buffer.byteLength(text) > INDEXED_BYTES_MAX)
    index.run('INSERT INTO large (seq) VALUES (?)', seq);
  else index.run('INSERT INTO texts (rowid, text) VALUES (?, ?)', seq, text);
}
