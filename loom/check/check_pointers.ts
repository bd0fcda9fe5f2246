import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { IS_DAMAGED_ARCHIVED, isMarkAsSet } from '../store/row_sums.js';
import { dashed, MARK_COLUMNS, type MarkRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { checkInputs, checkRequests } from './check_turns.js';
import { damagedSettings } from './damaged_nodes.js';
import { addProblem, type Report } from './report.js';

const FOUND_MAX = 1_000;
/** Up to this size the whole file is checked page by page and index by index, at once: about a second. */
const WHOLE_BYTES_MAX = 128 * 1024 * 1024;
const PAGE_PROBLEMS_MAX = 100;
/** The tables of a larger file that stay small; its nodes and changes are read one by one anyway. */
const SMALL_TABLES = [
  'meta',
  'trees',
  'settings',
  'marks',
  'archived_rows',
  'turns',
  'turn_journal',
  'inputs',
  'requests',
  'questions',
  'snapshots',
  'copies',
];

/** Has SQLite check the pages, as far as that takes about a second. */
export function* checkFile(store: Store, report: Report): Slices<void> {
  const bytes = Number(store.pragma('page_count')) * Number(store.pragma('page_size'));
  const checks =
    bytes <= WHOLE_BYTES_MAX
      ? [`integrity_check(${PAGE_PROBLEMS_MAX})`]
      : SMALL_TABLES.map((table) => `integrity_check(${table})`);
  for (const check of checks) {
    for (const { integrity_check: line } of store.all<{ integrity_check: string }>(`PRAGMA ${check}`)) {
      if (line !== 'ok') addProblem(report, `the database file: ${line}`);
    }
    yield;
  }
}

/** What an earlier hub had stored and the next one did not find. */
export function* checkLost(store: Store, report: Report): Slices<void> {
  const lost = store.get<{ value: string }>("SELECT value FROM meta WHERE key = 'lost'")?.value;
  if (lost !== undefined) addProblem(report, `trees.db-wal was changed while no hub ran: ${lost} are gone`);
  yield;
}

export function* checkSettings(store: Store, report: Report): Slices<void> {
  for (const { sha256 } of yield* damagedSettings(store)) {
    addProblem(report, `settings ${sha256} are not what their hash says`);
  }
}

interface Astray {
  tree_id: string | null;
  what: string;
}

const ASTRAY = [
  `SELECT lower(hex(t.id)) AS tree_id, 'mark ' || m.name AS what FROM marks m
   LEFT JOIN trees t ON t.tree = m.tree LEFT JOIN nodes n ON n.seq = m.node
   WHERE (? IS NULL OR m.tree = ?) AND (n.tree IS NULL OR n.tree <> m.tree) LIMIT ${FOUND_MAX}`,
  `SELECT lower(hex(t.id)) AS tree_id, 'an archived branch' AS what FROM archived_rows a
   LEFT JOIN trees t ON t.tree = a.tree LEFT JOIN nodes n ON n.seq = a.node
   WHERE (? IS NULL OR a.tree = ?) AND (n.tree IS NULL OR n.tree <> a.tree) LIMIT ${FOUND_MAX}`,
  `SELECT lower(hex(t.id)) AS tree_id, 'turn ' || lower(hex(u.id)) AS what FROM turns u
   LEFT JOIN trees t ON t.tree = u.tree LEFT JOIN nodes n ON n.seq = u.node LEFT JOIN nodes p ON p.seq = u.tip
   WHERE (? IS NULL OR u.tree = ?)
     AND (n.tree IS NULL OR p.tree IS NULL OR n.tree <> u.tree OR p.tree <> u.tree) LIMIT ${FOUND_MAX}`,
  `SELECT lower(hex(t.id)) AS tree_id, 'a copy of a project' AS what FROM copies s
   LEFT JOIN trees t ON t.tree = s.tree LEFT JOIN nodes n ON n.seq = s.node
   WHERE (? IS NULL OR s.tree = ?) AND (n.tree IS NULL OR n.tree <> s.tree) LIMIT ${FOUND_MAX}`,
  `SELECT lower(hex(t.id)) AS tree_id, 'a snapshot of files' AS what FROM snapshots s
   LEFT JOIN trees t ON t.tree = s.tree LEFT JOIN nodes n ON n.seq = s.node
   WHERE (? IS NULL OR s.tree = ?) AND (n.tree IS NULL OR n.tree <> s.tree) LIMIT ${FOUND_MAX}`,
];
const DAMAGED_ARCHIVED = `SELECT lower(hex(t.id)) AS tree_id, lower(hex(n.id)) AS what
  FROM (SELECT * FROM archived_rows WHERE ${IS_DAMAGED_ARCHIVED}) a
  LEFT JOIN trees t ON t.tree = a.tree LEFT JOIN nodes n ON n.seq = a.node
  WHERE (? IS NULL OR a.tree = ?) LIMIT ${FOUND_MAX}`;
const LEFT_JOURNALS = `SELECT DISTINCT lower(hex(t.id)) AS tree_id, lower(hex(u.id)) AS what
  FROM turn_journal j JOIN turns u ON u.turn = j.turn LEFT JOIN trees t ON t.tree = u.tree
  WHERE u.state NOT IN ('running', 'waiting') AND (? IS NULL OR u.tree = ?) LIMIT ${FOUND_MAX}`;
const WAITING_FOR_NOTHING = `SELECT lower(hex(t.id)) AS tree_id, lower(hex(u.id)) AS what
  FROM turns u LEFT JOIN trees t ON t.tree = u.tree
  WHERE u.state = 'waiting' AND (? IS NULL OR u.tree = ?)
    AND (NOT EXISTS (SELECT 1 FROM turn_journal j WHERE j.turn = u.turn AND j.call = '')
      OR NOT EXISTS (SELECT 1 FROM questions q WHERE q.turn = u.turn AND q.answer IS NULL)) LIMIT ${FOUND_MAX}`;

/** Checks all that points at nodes: marks, archived branches, turns, inputs and requests; and unfinished journals. */
export function* checkPointers(store: Store, report: Report, tree: number | null): Slices<void> {
  for (const sql of ASTRAY) {
    for (const row of store.all<Astray>(sql, tree, tree)) {
      addProblem(report, `${row.what} does not point at a node of its tree`, { tree: treeOf(row) });
    }
    yield;
  }
  yield* checkMarks(store, report, tree);
  for (const row of store.all<Astray>(DAMAGED_ARCHIVED, tree, tree)) {
    addProblem(report, 'what was archived of it is not what the disk has: that branch is shown', { tree: treeOf(row) });
  }
  for (const row of store.all<Astray>(LEFT_JOURNALS, tree, tree)) {
    addProblem(report, `turn ${dashed(row.what)} left a step that could not be stored`, { tree: treeOf(row) });
  }
  for (const row of store.all<Astray>(WAITING_FOR_NOTHING, tree, tree)) {
    addProblem(report, `turn ${dashed(row.what)} waits for an answer to nothing`, { tree: treeOf(row) });
  }
  yield;
  yield* checkInputs(store, report, tree);
  yield* checkRequests(store, report, tree);
}

const MARKS_AFTER = `SELECT ${MARK_COLUMNS}, m.tree FROM marks m
  WHERE (? IS NULL OR m.tree = ?) AND (m.tree, m.name) > (?, ?) ORDER BY m.tree, m.name LIMIT ${SLICE_ROWS}`;

function* checkMarks(store: Store, report: Report, tree: number | null): Slices<void> {
  let last = { tree: 0, name: '' };
  for (;;) {
    const rows = store.all<MarkRow & { tree: number }>(MARKS_AFTER, tree, tree, last.tree, last.name);
    for (const row of rows) {
      if (isMarkAsSet(row)) continue;
      addProblem(report, `mark ${row.name} is not what was set`, { tree: treeOf(row) });
    }
    if (rows.length < SLICE_ROWS) return;
    last = rows.at(-1) ?? last;
    yield;
  }
}

function treeOf(row: Pick<Astray, 'tree_id'>): string | null {
  // Of no tree at all SQLite makes an empty text.
  return row.tree_id ? dashed(row.tree_id) : null;
}
