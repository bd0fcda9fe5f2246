import type { Hit } from '../../render/hits.js';
import { type Grown, NONE } from './grown.js';
import { type Apart, branchesOffPath, FILTERS, type Filter, rowsOf } from './rows.js';

/** Trees up to this size are opened with every branch unfolded. */
const UNFOLDED_NODES_MAX = 200;

/** A line that is being typed. */
export interface Typing {
  what: 'search' | 'mark';
  text: string;
}

/** What a search over whole contents found. */
export interface SearchFound {
  query: string;
  hits: readonly Hit[];
  selected: number;
}

/** What is seen of a tree, and what is chosen in it. Changed by making a new one; the tree itself only grows. */
export interface Navigation {
  readonly grown: Grown;
  /** Where the person stands. */
  readonly position: number;
  readonly filter: Filter;
  readonly folded: ReadonlySet<number>;
  /** The names of marks, by the number of their node. */
  readonly marks: ReadonlyMap<number, readonly string[]>;
  readonly rows: Int32Array;
  /** The chosen node, and the first row that is shown. */
  readonly selected: number;
  readonly top: number;
  readonly typing: Typing | null;
  readonly found: SearchFound | null;
  /** What the position and the chosen node do not share. */
  readonly apart: Apart | null;
  readonly preview: boolean;
  readonly help: boolean;
  /** Something to tell, until the next key. */
  readonly word: string | null;
}

export function openNavigation(grown: Grown, position: number, marks: Navigation['marks']): Navigation {
  const at = position === NONE ? 0 : position;
  const folded = grown.count() <= UNFOLDED_NODES_MAX ? new Set<number>() : branchesOffPath(grown, at);
  return listed({
    ...{ grown, position: at, filter: 'all', folded, marks, rows: new Int32Array(0), selected: at, top: 0 },
    ...{ typing: null, found: null, apart: null, preview: true, help: false, word: null },
  });
}

/** The same with its rows made anew; what is chosen stays chosen, or what stands for it. */
export function listed(state: Navigation): Navigation {
  const { grown, filter, folded, marks } = state;
  const rows = rowsOf(grown, { filter, folded, marked: new Set(marks.keys()) });
  return { ...state, rows, selected: nearestRow({ ...state, rows }) };
}

/** Shows a node whatever is folded, and chooses it. */
export function revealed(state: Navigation, index: number): Navigation {
  const { grown } = state;
  const folded = new Set(state.folded);
  for (let head = grown.headOf(index); head !== NONE; head = headAbove(grown, head)) folded.delete(head);
  const isListed = listed({ ...state, folded, selected: index }).selected === index;
  return listed({ ...state, folded, filter: isListed ? state.filter : 'all', selected: index });
}

function headAbove(grown: Grown, head: number): number {
  const above = grown.parentOf(head);
  return above === NONE ? NONE : grown.headOf(above);
}

/** The chosen node when it is listed, else the nearest above it that is, else the first. */
function nearestRow({ grown, rows, selected }: Navigation): number {
  if (rows.includes(selected)) return selected;
  const shown = new Set(rows);
  for (let index = selected; index !== NONE; index = grown.parentOf(index)) if (shown.has(index)) return index;
  return rows[0] ?? NONE;
}

function rowOf({ rows, selected }: Navigation): number {
  return rows.indexOf(selected);
}

/** Chooses the row so many rows further down. */
export function moved(state: Navigation, rows: number): Navigation {
  const last = state.rows.length - 1;
  const row = Math.min(Math.max(0, rowOf(state) + rows), Math.max(0, last));
  return { ...state, selected: state.rows[row] ?? state.selected };
}

/** Scrolls so that the chosen row is among the rows that are seen. */
export function scrolled(state: Navigation, height: number): Navigation {
  const row = rowOf(state);
  const lowest = Math.max(0, state.rows.length - height);
  const top = Math.min(Math.max(state.top, row - height + 1), row, lowest);
  return top === state.top ? state : { ...state, top: Math.max(0, top) };
}

/** Shows the branch of the chosen node as one line; of a branch that is folded already, the one that it forks from. */
export function folded(state: Navigation): Navigation {
  const { grown, selected } = state;
  const head = grown.headOf(selected);
  const parent = grown.parentOf(head);
  if (parent === NONE) return { ...state, word: 'This is the trunk: only branches fold.' };
  if (state.folded.has(head)) return { ...state, selected: nearestRow({ ...state, selected: parent }) };
  return listed({ ...state, folded: new Set(state.folded).add(head), selected: head });
}

export function unfolded(state: Navigation): Navigation {
  const { folded, selected } = state;
  if (!folded.has(selected)) return moved(state, 1);
  const rest = new Set(folded);
  rest.delete(selected);
  return listed({ ...state, folded: rest });
}

/** Folds every branch that does not lead to the chosen node; unfolds all when that is so already. */
export function foldedAll(state: Navigation): Navigation {
  const off = branchesOffPath(state.grown, state.selected);
  const isDone = [...off].every((head) => state.folded.has(head));
  return listed({ ...state, folded: isDone ? new Set() : off });
}

export function filtered(state: Navigation): Navigation {
  const next = FILTERS[(FILTERS.indexOf(state.filter) + 1) % FILTERS.length] ?? 'all';
  return listed({ ...state, filter: next, word: `Shown: ${FILTER_WORDS[next]}` });
}

export const FILTER_WORDS: Record<Filter, string> = {
  all: 'all',
  messages: 'messages',
  tools: 'tools',
  leaves: 'ends of branches',
  marks: 'marks',
};
