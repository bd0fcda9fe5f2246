import { batch } from '@preact/signals';
import { NONE, numberAt } from '../core/node_table.js';
import { childrenOf, leafBelow, turnOf } from '../core/walk.js';
import { columns, focus, here, leaf, path, rows, running, runningAt, runs } from './tree_state.js';
import { compareA, compareB, cursor, part, scrollTarget, view } from './view_state.js';

/** Goes to a node, to be read on the branch that holds it, else on the one that goes straight on from it. */
export function goTo(node: number): void {
  if (node === NONE) return;
  batch(() => {
    if (!path.value.includes(node)) leaf.value = leafBelow(runs.value, node);
    focus.value = node;
    scrollTarget.value = { node };
    if (view.value !== 'read') view.value = 'read';
  });
  batch(() => {
    placeCursor(node);
  });
}

/** Goes to a node, and on a phone to the part where it is read. */
export function read(node: number): void {
  batch(() => {
    goTo(node);
    part.value = 'read';
  });
}

/** Goes along one branch of a fork. */
export function takeBranch(child: number): void {
  batch(() => {
    leaf.value = leafBelow(runs.value, child);
    goTo(child);
  });
}

export function goHere(): void {
  if (here.value === NONE) return;
  batch(() => {
    leaf.value = here.value;
    read(here.value);
  });
}

/** Goes to where the next turn runs. */
export function goToRunning(): void {
  const tips = [...runningAt.value.keys()].filter((node) => node !== NONE);
  const next = tips[(tips.indexOf(leaf.value) + 1) % tips.length];
  if (next === undefined || running.value.length === 0) return;
  batch(() => {
    leaf.value = next;
    read(next);
  });
}

/** Goes along the next branch of the nearest fork above what is looked at. */
export function goToSibling(by: 1 | -1): void {
  const all = path.value;
  const from = all.indexOf(focus.value);
  for (let at = from === -1 ? all.length - 1 : from; at > 0; at -= 1) {
    const above = all[at - 1] ?? NONE;
    if (numberAt(columns.childCount, above) < 2) continue;
    const ways = childrenOf(columns, above);
    const next = ways[(ways.indexOf(all[at] ?? NONE) + by + ways.length) % ways.length];
    if (next !== undefined) takeBranch(next);
    return;
  }
}

/** Compares what is read, or the branch that was chosen before, with that of another node. */
export function chooseToCompare(end: number): void {
  batch(() => {
    if (compareA.value === NONE || compareB.value !== NONE) {
      compareA.value = end;
      compareB.value = NONE;
      return;
    }
    compareB.value = end;
    openCompare();
  });
}

export function compare(one: number, other: number): void {
  batch(() => {
    compareA.value = one;
    compareB.value = other;
    openCompare();
  });
}

function openCompare(): void {
  view.value = 'compare';
  part.value = 'read';
}

/** Moves the cursor of the outline to the row that shows a node, or that of the folded run around it. */
export function placeCursor(node: number): void {
  const { node: nodes, rowOfRun, count, run: runOfRow } = rows.value;
  let run = numberAt(runs.value.runOf, node);
  while (run !== NONE && numberAt(rowOfRun, run) === NONE) run = numberAt(runs.value.up, run);
  const first = numberAt(rowOfRun, run);
  if (first === NONE) return;
  const turn = turnOf(columns, runs.value, node);
  let row = first;
  while (row + 1 < count && runOfRow[row + 1] === run && nodes[row] !== turn) row += 1;
  cursor.value = nodes[row] === turn ? row : first;
}
