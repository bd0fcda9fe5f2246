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
  /** What to leave out because of damage; null when damage is an error. */
  damage: TreeDamage | null;
}

/** What still fits into the page. */
export interface PageRoom {
  count: number;
  bytes: number;
  /** Nothing is in the page yet: then one thing goes in, whatever its size. */
  isEmpty: boolean;
}

/** Records, and where the phase goes on; null when it is over. */
export interface ExportPart {
  records: string[];
  next: number | null;
}
