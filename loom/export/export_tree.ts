import { type Judgement, judge, newJudgement } from '../check/damaged_nodes.js';
import { cursorError, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, type Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { noTree } from '../read/require_tree.js';
import { newestSeq } from '../store/newest_seq.js';
import { idBlob, TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { Exporting, Room } from './export_part.js';
import { EXPORT_PHASES } from './export_phases.js';

/** Where the next page goes on: a phase, the newest node that the export takes in, and a place in the phase. */
interface ExportPlace {
  phase: number;
  to: number;
  position: number;
}

/** A tree as it is when its first page is read: what is appended later is left out, and what points at it. */
export function* exportTree(context: ReadContext, params: ReadParams['loom.tree_export']): Slices<string> {
  const { store } = context;
  const row = anyTree(store, params.tree);
  let place = placeOf(params.cursor) ?? { phase: 0, to: newestSeq(store), position: 0 };
  const isFirst = params.cursor === null;
  const judgement = params.undamaged ? yield* judged(context, row.tree, { to: place.to, isFirst }) : null;
  const exporting: Exporting = { store, outputs: context.outputs, row, to: place.to, judgement };
  const records: string[] = [];
  const room: Room = { count: params.limit, bytes: PAGE_BYTES_MAX, isWhole: true };
  for (let phase = EXPORT_PHASES[place.phase]; phase !== undefined; phase = EXPORT_PHASES[place.phase]) {
    const part = yield* phase(exporting, place.position, room);
    for (const record of part.records) {
      records.push(record);
      room.count -= 1;
      room.bytes -= record.length;
      room.isWhole = false;
    }
    place = part.next === null ? { ...place, phase: place.phase + 1, position: 0 } : { ...place, position: part.next };
    if (part.next !== null || room.count <= 0 || room.bytes <= 0) break;
  }
  return pageJson('records', records, place.phase < EXPORT_PHASES.length ? cursorOf(place) : null);
}

/** An import that is under way can be looked at by an export too. */
function anyTree(store: Store, id: string): TreeRow {
  const row = store.get<TreeRow>(`SELECT ${TREE_COLUMNS} FROM trees t WHERE t.id = ?`, idBlob(id));
  if (row === undefined) throw noTree(id);
  return row;
}

function* judged(
  { store, judgements }: ReadContext,
  tree: number,
  { to, isFirst }: { to: number; isFirst: boolean },
): Slices<Judgement> {
  let judgement = judgements.newest;
  if (judgement === null || judgement.tree !== tree || isFirst) {
    judgement = yield* newJudgement(store, tree);
    judgements.newest = judgement;
  }
  yield* judge(store, judgement, to);
  return judgement;
}

function cursorOf(place: ExportPlace): string {
  return `${place.phase}.${place.to}.${place.position}`;
}

function placeOf(cursor: string | null): ExportPlace | null {
  if (cursor === null) return null;
  const [, phase, to, position] = /^(\d{1,2})\.(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (phase === undefined) throw cursorError(cursor);
  return { phase: Number(phase), to: Number(to), position: Number(position) };
}
