import type { TreeDamage } from '../check/damaged_nodes.js';
import type { TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';

/** What the phases of an export share. */
export interface ExportContext {
  store: Store;
  outputs: string;
  row: TreeRow;
  /** Nodes with higher numbers are left out. */
  to: number;
  /** The damage to leave out; null when damage is an error. */
  damage: TreeDamage | null;
}

/** The room that is left on the page. */
export interface PageRoom {
  count: number;
  bytes: number;
  /** True while the page has no record: the first one fits whatever its size. */
  isEmpty: boolean;
}

/** Records, and the position at which the phase continues; null when it is over. */
export interface ExportPart {
  records: string[];
  next: number | null;
}
