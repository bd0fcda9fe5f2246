import { createHash } from 'node:crypto';
import type { Slices } from '../paging/slices.js';
import type { Store } from '../store/store.js';
import { type CheckedRow, damageOf } from './checked_node.js';
import { scanNodes } from './scan_nodes.js';

/** The damage of one tree, and what an export must leave out because of it. */
export interface TreeDamage {
  tree: number;
  /** Damaged nodes, the other nodes of their steps, and all descendants. */
  excluded: Set<number>;
  /** The settings that the undamaged nodes name. */
  settings: Set<string>;
  /** Settings that do not match their hash. */
  badSettings: Set<string>;
  /** Every node up to this number has been scanned. */
  scannedTo: number;
  /** The nodes of the current step that have been read so far. */
  openStep: CheckedRow[];
}

const SETTINGS_ROWS = 50;

/** The newest scan, shared by the pages of one export. */
export interface DamageCache {
  newest: TreeDamage | null;
}

/** Begins the scan of a tree with a check of the settings. */
export function* startDamageScan(store: Store, tree: number): Slices<TreeDamage> {
  const badSettings = new Set<string>();
  for (const { sha256 } of yield* damagedSettings(store)) badSettings.add(sha256);
  return { tree, excluded: new Set(), settings: new Set(), badSettings, scannedTo: 0, openStep: [] };
}

/** Settings whose text does not match their hash. */
export function* damagedSettings(store: Store): Slices<{ sha256: string }[]> {
  const sql = `SELECT settings, lower(hex(sha256)) AS sha256, body FROM settings
    WHERE settings > ? ORDER BY settings LIMIT ${SETTINGS_ROWS}`;
  const damaged: { sha256: string }[] = [];
  for (let after = 0; ; ) {
    const rows = store.all<{ settings: number; sha256: string; body: string }>(sql, after);
    damaged.push(...rows.filter((row) => createHash('sha256').update(row.body).digest('hex') !== row.sha256));
    if (rows.length < SETTINGS_ROWS) return damaged;
    after = rows.at(-1)?.settings ?? after;
    yield;
  }
}

/** Scans the nodes up to a number, from where the scan stopped. */
export function* scanForDamage(store: Store, damage: TreeDamage, to: number): Slices<void> {
  while (damage.scannedTo < to) {
    const scan = scanNodes(store, { tree: damage.tree, after: damage.scannedTo, to });
    for (const seq of scan.unreadable) damage.excluded.add(seq);
    for (const row of scan.rows) addCheckedRow(damage, row);
    damage.scannedTo = scan.end;
    yield;
  }
}

// Parents precede their children, so one pass is enough.
function addCheckedRow(damage: TreeDamage, row: CheckedRow): void {
  const { excluded, settings } = damage;
  if (row.step !== damage.openStep[0]?.step) damage.openStep = [];
  if (row.step !== null) damage.openStep.push(row);
  const named = row.settings_sha256;
  const isSound =
    damageOf(row).length === 0 &&
    (row.parent === null || !excluded.has(row.parent)) &&
    (named === null || !damage.badSettings.has(named));
  if (isSound) {
    if (named !== null) settings.add(named);
    return;
  }
  excluded.add(row.seq);
  // A step goes whole or not at all.
  for (const member of damage.openStep) excluded.add(member.seq);
}
