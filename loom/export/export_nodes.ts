import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { scanNodes } from '../check/scan_nodes.js';
import type { Slices } from '../paging/slices.js';
import { endOfSlice, type NodeRange, rowsWithin } from '../read/node_rows.js';
import { hashMatches } from '../store/node_hash.js';
import { dashed, NODE_COLUMNS, type NodeRow, portableNodeJson } from '../store/rows.js';
import type { ExportContext, ExportPart, PageRoom } from './export_part.js';

export const NODES_WITHIN = `SELECT ${NODE_COLUMNS} FROM nodes n WHERE n.seq > ? AND n.seq <= ? ORDER BY n.seq`;
export const NODES_OF_TREE = `SELECT ${NODE_COLUMNS} FROM nodes n
  WHERE n.tree = ? AND n.seq > ? AND n.seq <= ? ORDER BY n.seq`;

/** A page of nodes that tears no step, so that an import can take it as it is. */
interface Filling {
  records: string[];
  bytes: number;
  /** The newest node in it. */
  last: number;
  /** The state before the current step or single node: how many records, and up to which node. */
  unit: { count: number; last: number };
}

export function* exportNodes(context: ExportContext, position: number, room: PageRoom): Slices<ExportPart> {
  const filling: Filling = { records: [], bytes: 0, last: position, unit: { count: 0, last: position } };
  for (let after = position; after < context.to; ) {
    const { rows, end } = readSlice(context, after, room.bytes);
    for (const row of rows) {
      if (context.damage?.excluded.has(row.seq) === true) continue;
      if (!hashMatches(row)) throw damagedError(row);
      const full = add(filling, row, room);
      if (full !== null) return full;
    }
    after = end;
    yield;
  }
  return { records: filling.records, next: null };
}

function readSlice(
  { store, row, to, damage }: ExportContext,
  after: number,
  bytes: number,
): { rows: NodeRow[]; end: number } {
  const range: NodeRange = { tree: row.tree, after, to };
  if (damage !== null) return scanNodes(store, range);
  const end = endOfSlice(store, range, bytes);
  return { rows: rowsWithin<NodeRow>(store, { ...range, to: end }, { all: NODES_WITHIN, ofTree: NODES_OF_TREE }), end };
}

function damagedError(row: NodeRow): HubError {
  return new HubError(
    'storage_failed',
    `node ${dashed(row.id)} is damaged, so the export would not be what was stored`,
    {
      hint: ['save all that is whole: ', cliCommand('fsck', '--rescue', '<file>')],
      details: { node: dashed(row.id) },
    },
  );
}

/** Adds a node, or returns the page when it is full without it. A step is split only when it exceeds a whole page. */
function add(filling: Filling, row: NodeRow, room: PageRoom): ExportPart | null {
  const { records, last } = filling;
  const json = `{"kind":"node","node":${portableNodeJson(row)}}`;
  const isLarger = filling.bytes + json.length > room.bytes;
  if (row.step_index === null || row.step_index === 0) filling.unit = { count: records.length, last };
  if (records.length >= room.count || isLarger) {
    if (filling.unit.count > 0 || !room.isEmpty) {
      return { records: records.slice(0, filling.unit.count), next: filling.unit.last };
    }
    if (isLarger && records.length > 0) return { records, next: last };
  }
  records.push(json);
  filling.bytes += json.length;
  filling.last = row.seq;
  return null;
}
