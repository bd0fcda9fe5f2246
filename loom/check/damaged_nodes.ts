import { createHash } from 'node:crypto';
import type { Slices } from '../paging/slices.js';
import type { Store } from '../store/store.js';
import { type CheckedRow, damageOf } from './checked_node.js';
import { scanNodes } from './scan_nodes.js';

/** Nodes of one tree that an export must leave out: damaged ones, their steps, and all that grew from them. */
export interface TreeDamage {
  tree: number;
  excluded: Set<number>;
  /** The settings that the sound nodes name. */
  settings: Set<string>;
  /** Settings that are not what their hash says. */
  badSettings: Set<string>;
  /** Every node up to this number was judged. */
  scannedTo: number;
  /** The part of a step that has been read so far. */
  openStep: CheckedRow[];
}

const SETTINGS_ROWS = 50;

/** The newest judgement is kept, so that the pages of one export share it. */
export interface DamageCache {
  newest: TreeDamage | null;
}

/** Begins to judge a tree, by checking the settings. */
export function* startDamageScan(store: Store, tree: number): Slices<TreeDamage> {
  const badSettings = new Set<string>();
  for (const { sha256 } of yield* damagedSettings(store)) badSettings.add(sha256);
  return { tree, excluded: new Set(), settings: new Set(), badSettings, scannedTo: 0, openStep: [] };
}

/** Settings whose text is not what their hash says. */
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

/** Judges the nodes up to a number, going on from where it stopped. */
export function* scanForDamage(store: Store, damage: TreeDamage, to: number): Slices<void> {
  while (damage.scannedTo < to) {
    const scan = scanNodes(store, { tree: damage.tree, after: damage.scannedTo, to });
    for (const seq of scan.unreadable) damage.excluded.add(seq);
    for (const row of scan.rows) addCheckedRow(damage, row);
    damage.scannedTo = scan.end;
    yield;
  }
}

// Parents come before their children, so that one look at each is enough.
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
