import { scanForDamage, startDamageScan, type TreeDamage } from '../check/damaged_nodes.js';
import { cursorError, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, type Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { newestSeq } from '../store/newest_seq.js';
import { findTree, treeNotFound } from '../store/require_rows.js';
import type { ExportContext, PageRoom } from './export_part.js';
import { EXPORT_PHASES } from './export_phases.js';

/** Where the next page continues: the phase, the newest node of the export, and the position in the phase. */
interface ExportPosition {
  phase: number;
  to: number;
  position: number;
}

/** A tree as it is when its first page is read: nodes appended later are left out, with all that points at them. */
export function* exportTree(context: ReadContext, params: ReadParams['loom.tree_export']): Slices<string> {
  const { store } = context;
  const row = findTree(store, params.tree); // an import under way can be exported too
  if (row === undefined) throw treeNotFound(params.tree);
  let position = positionOf(params.cursor) ?? { phase: 0, to: newestSeq(store), position: 0 };
  const isFirst = params.cursor === null;
  const damage = params.undamaged ? yield* findDamage(context, row.tree, { to: position.to, isFirst }) : null;
  const exported: ExportContext = { store, outputs: context.outputs, row, to: position.to, damage };
  const records: string[] = [];
  const room: PageRoom = { count: params.limit, bytes: PAGE_BYTES_MAX, isEmpty: true };
  for (let phase = EXPORT_PHASES[position.phase]; phase !== undefined; phase = EXPORT_PHASES[position.phase]) {
    const part = yield* phase(exported, position.position, room);
    for (const record of part.records) {
      records.push(record);
      room.count -= 1;
      room.bytes -= record.length;
      room.isEmpty = false;
    }
    position =
      part.next === null
        ? { ...position, phase: position.phase + 1, position: 0 }
        : { ...position, position: part.next };
    if (part.next !== null || room.count <= 0 || room.bytes <= 0) break;
  }
  return pageJson('records', records, position.phase < EXPORT_PHASES.length ? cursorOf(position) : null);
}

function* findDamage(
  { store, damage: cache }: ReadContext,
  tree: number,
  { to, isFirst }: { to: number; isFirst: boolean },
): Slices<TreeDamage> {
  let damage = cache.newest;
  if (damage === null || damage.tree !== tree || isFirst) {
    damage = yield* startDamageScan(store, tree);
    cache.newest = damage;
  }
  yield* scanForDamage(store, damage, to);
  return damage;
}

function cursorOf(position: ExportPosition): string {
  return `${position.phase}.${position.to}.${position.position}`;
}

function positionOf(cursor: string | null): ExportPosition | null {
  if (cursor === null) return null;
  const [, phase, to, position] = /^(\d{1,2})\.(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (phase === undefined) throw cursorError(cursor);
  return { phase: Number(phase), to: Number(to), position: Number(position) };
}
