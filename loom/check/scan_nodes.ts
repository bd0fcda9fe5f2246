import { SLICE_NODES } from '../paging/slices.js';
import { endOfSlice, type NodeRange, rowsWithin } from '../read/node_rows.js';
import { type Store, sqliteCode } from '../store/store.js';
import { CHECKED_COLUMNS, type CheckedRow } from './checked_node.js';

const SLICE_BYTES = 1024 * 1024;

const FROM = `SELECT ${CHECKED_COLUMNS} FROM nodes n LEFT JOIN nodes p ON p.seq = n.parent`;
export const CHECKED_WITHIN = `${FROM} WHERE n.seq > ? AND n.seq <= ? ORDER BY n.seq`;
export const CHECKED_OF_TREE = `${FROM} WHERE n.tree = ? AND n.seq > ? AND n.seq <= ? ORDER BY n.seq`;
const CHECKED_ONE = `${FROM} WHERE n.seq = ?`;

/** The nodes of a range up to `end`, and the numbers at which nothing could be read. */
export interface ScannedNodes {
  rows: CheckedRow[];
  unreadable: number[];
  end: number;
}

/** Reads the next nodes of a range. Where the file is damaged it reads one by one, so that only damaged ones are missing. */
export function scanNodes(store: Store, range: NodeRange): ScannedNodes {
  try {
    const end = endOfSlice(store, range, SLICE_BYTES);
    const rows = rowsWithin<CheckedRow>(store, { ...range, to: end }, { all: CHECKED_WITHIN, ofTree: CHECKED_OF_TREE });
    return { rows, unreadable: [], end };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return scanOneByOne(store, range);
  }
}

/** Whether an error means that the file itself is damaged. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(sqliteCode(error) ?? '');
}

// Numbers are consecutive, so trying each one finds every node, whatever index is damaged.
function scanOneByOne(store: Store, range: NodeRange): ScannedNodes {
  const scan: ScannedNodes = { rows: [], unreadable: [], end: Math.min(range.to, range.after + SLICE_NODES) };
  for (let seq = range.after + 1; seq <= scan.end; seq++) {
    const row = unlessDamaged(() => store.get<CheckedRow>(CHECKED_ONE, seq));
    if (row === 'damaged') {
      if (mayBeNode(store, seq, range.tree)) scan.unreadable.push(seq);
    } else if (row !== undefined && (range.tree === null || row.tree === range.tree)) {
      scan.rows.push(row);
    }
  }
  return scan;
}

/** False when the changes or the index of trees show that the number is no node of the tree. */
function mayBeNode(store: Store, seq: number, tree: number | null): boolean {
  const change = unlessDamaged(() => store.get('SELECT 1 FROM changes WHERE seq = ?', seq));
  if (change !== 'damaged' && change !== undefined) return false;
  const sql = 'SELECT tree FROM nodes INDEXED BY nodes_by_tree WHERE tree = ? AND seq = ?';
  if (tree === null) return true;
  const listed = unlessDamaged(() => store.get(sql, tree, seq));
  return listed === 'damaged' || listed !== undefined;
}

function unlessDamaged<T>(read: () => T): T | 'damaged' {
  try {
    return read();
  } catch (error) {
    // Finding out what cannot be read is the purpose here.
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}
