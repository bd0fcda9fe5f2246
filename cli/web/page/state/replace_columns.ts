import { batch } from '@preact/signals';
import { NONE, numberAt } from '../core/node_table.js';
import { type Columns, indexOf } from '../core/tree_columns.js';
import { leafBelow } from '../core/walk.js';
import { placeCursor } from './moves.js';
import { columns, focus, folds, forgetTrunk, here, leaf, runs, version } from './tree_state.js';
import { compareA, compareB } from './view_state.js';

/** Shows another reading of the tree; where a node is gone one stands at the nearest above it that is still there. */
export function replaceColumns(fresh: Columns): void {
  const same = (node: number): number => indexOf(fresh, columns.seq[node] ?? NONE);
  const nearest = (node: number): number => {
    let at = node;
    while (at !== NONE && same(at) === NONE) at = numberAt(columns.parent, at);
    return same(at);
  };
  const isLeafThere = same(leaf.value) !== NONE;
  const places = [here, leaf, focus].map((place) => ({ place, now: nearest(place.value) }));
  const sides = [compareA, compareB].map((place) => ({ place, now: same(place.value) }));
  const folded = [...folds.value].map(([node, isOpen]): [number, boolean] => [same(node), isOpen]);
  batch(() => {
    Object.assign(columns, fresh);
    forgetTrunk();
    for (const { place, now } of [...places, ...sides]) place.value = now;
    folds.value = new Map(folded.filter(([node]) => node !== NONE));
    version.value += 1;
    if (!isLeafThere) leaf.value = leafBelow(runs.value, leaf.value);
  });
  placeCursor(focus.value);
}
