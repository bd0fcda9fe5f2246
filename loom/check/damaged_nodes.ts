import { createHash } from 'node:crypto';
import type { Slices } from '../paging/slices.js';
import type { Store } from '../store/store.js';
import { type CheckedRow, damageOf } from './checked_node.js';
import { lookAt } from './scan_nodes.js';

/** Nodes of one tree that an export must leave out: damaged ones, their steps, and all that grew from them. */
export interface Judgement {
  tree: number;
  unsound: Set<number>;
  /** The settings that the sound nodes name. */
  settings: Set<string>;
  /** Settings that are not what their hash says. */
  badSettings: Set<string>;
  /** Every node up to this number was judged. */
  judgedTo: number;
  /** The part of a step that has been read so far. */
  open: CheckedRow[];
}

const SETTINGS_ROWS = 50;

/** The newest judgement is kept, so that the pages of one export share it. */
export interface Judgements {
  newest: Judgement | null;
}

/** Begins to judge a tree, by checking the settings. */
export function* newJudgement(store: Store, tree: number): Slices<Judgement> {
  const badSettings = new Set<string>();
  for (const { sha256 } of yield* damagedSettings(store)) badSettings.add(sha256);
  return { tree, unsound: new Set(), settings: new Set(), badSettings, judgedTo: 0, open: [] };
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
export function* judge(store: Store, judgement: Judgement, to: number): Slices<void> {
  while (judgement.judgedTo < to) {
    const looked = lookAt(store, { tree: judgement.tree, after: judgement.judgedTo, to });
    for (const seq of looked.unreadable) judgement.unsound.add(seq);
    for (const row of looked.rows) judgeRow(judgement, row);
    judgement.judgedTo = looked.end;
    yield;
  }
}

// Parents come before their children, so that one look at each is enough.
function judgeRow(judgement: Judgement, row: CheckedRow): void {
  const { unsound, settings } = judgement;
  if (row.step !== judgement.open[0]?.step) judgement.open = [];
  if (row.step !== null) judgement.open.push(row);
  const named = row.settings_sha256;
  const isSound =
    damageOf(row).length === 0 &&
    (row.parent === null || !unsound.has(row.parent)) &&
    (named === null || !judgement.badSettings.has(named));
  if (isSound) {
    if (named !== null) settings.add(named);
    return;
  }
  unsound.add(row.seq);
  // A step goes whole or not at all.
  for (const member of judgement.open) unsound.add(member.seq);
}
