import { statSync } from 'node:fs';
import { outputPath } from '../outputs/output_path.js';
import type { Slices } from '../paging/slices.js';
import { firstOutputLinks } from '../read/output_links.js';
import { dashed, forkJson, idBlob, ownerJson } from '../store/rows.js';
import { checkedSettings } from '../store/settings_row.js';
import { exportNodes } from './export_nodes.js';
import type { ExportContext, ExportPart, PageRoom } from './export_part.js';

type Phase = (context: ExportContext, position: number, room: PageRoom) => Slices<ExportPart>;

/** The order in which an import can take the records one by one. */
export const EXPORT_PHASES: readonly Phase[] = [
  exportTreeRow,
  exportSettings,
  exportNodes,
  exportMarks,
  exportArchived,
  exportOutputs,
];

const SETTINGS_OF = `
  SELECT n.seq, n.settings FROM nodes n WHERE n.tree = ? AND n.seq > ? AND n.seq <= ? ORDER BY n.seq LIMIT 2000`;
const MARKS_AFTER = `SELECT m.node, m.name, lower(hex(n.id)) AS id FROM marks m CROSS JOIN nodes n ON n.seq = m.node
  WHERE m.tree = ? AND m.node > ? AND m.node <= ? ORDER BY m.node, m.name`;
const ARCHIVED_AFTER = `SELECT a.node, lower(hex(n.id)) AS id
  FROM archived_branches a CROSS JOIN nodes n ON n.seq = a.node
  WHERE a.tree = ? AND a.node > ? AND a.node <= ? ORDER BY a.node`;
/** How many numbers of the feed are searched for outputs at once. */
const OUTPUT_RANGE = 1_000;

// biome-ignore lint/correctness/useYield: one record is one slice
function* exportTreeRow({ row }: ExportContext): Slices<ExportPart> {
  const tree =
    `{"id":"${dashed(row.id)}","name":${JSON.stringify(row.name)},"project":${JSON.stringify(row.project)},` +
    `"owner":${ownerJson(row)},${forkField(row)}"created_at_ms":${row.created_at_ms}}`;
  return { records: [`{"kind":"tree","format":1,"tree":${tree}}`], next: null };
}

/** Earlier versions do not know the field, so that it stands only where it says something. */
function forkField(row: ExportContext['row']): string {
  return row.fork_tree === null ? '' : `"forked_from":${forkJson(row)},`;
}

function* exportSettings(context: ExportContext, position: number, room: PageRoom): Slices<ExportPart> {
  const records: string[] = [];
  let bytes = 0;
  let last = position;
  for (const settings of yield* settingsOf(context)) {
    if (settings <= position) continue;
    if (records.length >= room.count || bytes >= room.bytes) return { records, next: last };
    const sql = 'SELECT lower(hex(sha256)) AS sha256, body FROM settings WHERE settings = ?';
    const stored = context.store.get<{ sha256: string; body: string }>(sql, settings);
    if (stored === undefined) continue;
    const record = `{"kind":"settings","sha256":"${stored.sha256}","settings":${checkedSettings(stored)}}`;
    records.push(record);
    bytes += record.length;
    last = settings;
    yield;
  }
  return { records, next: null };
}

function* settingsOf({ store, row, to, damage }: ExportContext): Slices<number[]> {
  const found = new Set<number>();
  if (damage !== null) {
    const sql = 'SELECT settings FROM settings WHERE sha256 = ?';
    for (const sha256 of damage.settings)
      found.add(store.get<{ settings: number }>(sql, idBlob(sha256))?.settings ?? 0);
  }
  for (let after = damage === null ? 0 : to; after < to; ) {
    const rows = store.all<{ seq: number; settings: number | null }>(SETTINGS_OF, row.tree, after, to);
    for (const { settings } of rows) if (settings !== null) found.add(settings);
    after = rows.at(-1)?.seq ?? to;
    yield;
  }
  return [...found].sort((left, right) => left - right);
}

interface Pointer {
  node: number;
  id: string;
}

function* exportMarks(context: ExportContext, position: number, room: PageRoom): Slices<ExportPart> {
  const { store, row, to } = context;
  const marks = store.all<Pointer & { name: string }>(MARKS_AFTER, row.tree, position, to);
  yield;
  return pointersPart(context, room, {
    pointers: marks,
    print: (mark) => `{"kind":"mark","name":${JSON.stringify(mark.name)},"node":"${dashed(mark.id)}"}`,
  });
}

function* exportArchived(context: ExportContext, position: number, room: PageRoom): Slices<ExportPart> {
  const { store, row, to } = context;
  const tops = store.all<Pointer>(ARCHIVED_AFTER, row.tree, position, to);
  yield;
  return pointersPart(context, room, {
    pointers: tops,
    print: (top) => `{"kind":"archived","node":"${dashed(top.id)}"}`,
  });
}

/** Pointers to one node share a page, because the position in the phase is the node. */
function pointersPart<P extends Pointer>(
  { damage }: ExportContext,
  room: PageRoom,
  { pointers, print }: { pointers: readonly P[]; print: (pointer: P) => string },
): ExportPart {
  const records: string[] = [];
  let last: number | null = null;
  for (const pointer of pointers) {
    if (records.length >= room.count && pointer.node !== last) return { records, next: last };
    if (damage?.excluded.has(pointer.node) === true) continue;
    records.push(print(pointer));
    last = pointer.node;
  }
  return { records, next: null };
}

/** A missing output is left out: the import reports how many are missing. */
function* exportOutputs(context: ExportContext, position: number, room: PageRoom): Slices<ExportPart> {
  const { store, row, to } = context;
  const records: string[] = [];
  for (let after = position; after < to; after += OUTPUT_RANGE) {
    if (records.length >= room.count) return { records, next: after };
    const range = { tree: row.tree, after, to: Math.min(to, after + OUTPUT_RANGE) };
    for (const { node, sha256 } of firstOutputLinks(store, range)) {
      if (context.damage?.excluded.has(node) === true) continue;
      const size = statSync(outputPath(context.outputs, sha256), { throwIfNoEntry: false })?.size;
      if (size !== undefined) records.push(`{"kind":"output","sha256":"${sha256}","size_bytes":${size}}`);
    }
    yield;
  }
  return { records, next: null };
}
