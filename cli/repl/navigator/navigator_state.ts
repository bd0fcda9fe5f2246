import type { Hit } from '../../render/tree/search_hits.js';
import { type Apart, branchesOffPath, FILTERS, type Filter, rowsOf } from './listed_nodes.js';
import { NONE, type TreeShape } from './tree_shape.js';

/** Trees up to this size are opened with every branch unfolded. */
const UNFOLDED_NODES_MAX = 200;

/** A line that is being typed. */
export interface Typing {
  what: 'search' | 'mark';
  text: string;
  /** What is done with the first hit as soon as it is found. */
  awaited: 'go_to_hit' | 'reveal' | null;
}

/** What a search over whole contents found. */
export interface SearchFound {
  query: string;
  hits: readonly Hit[];
  selected: number;
}

/** What is known of a tree before it is read: the rows around one node, without a gap. */
export interface Early {
  /** The node, and how many rows above and below it are known. */
  anchor: number;
  above: number;
  below: number;
  /** Whether the list begins and ends with them. */
  begins: boolean;
  ends: boolean;
  /** All nodes of the tree, left out and archived ones included. */
  nodeCount: number;
}

/** What is seen of a tree, and what is chosen in it. Changed by making a new one; the tree itself only grows. */
export interface Navigation {
  readonly grown: TreeShape;
  /** Null once the tree is read. */
  readonly early: Early | null;
  /** Where the person stands; none while that is in an archived branch. */
  readonly position: number;
  readonly filter: Filter;
  readonly folded: ReadonlySet<number>;
  /** What is folded again after a list that shows its nodes wherever they stand; null without such a list. */
  readonly aside: ReadonlySet<number> | null;
  /** The names of marks, by the number of their node. */
  readonly marks: ReadonlyMap<number, readonly string[]>;
  readonly rows: Int32Array;
  /** The chosen node; `NONE` where nothing is listed. */
  readonly selected: number;
  /** What the person chose: chosen again as soon as it is listed again. */
  readonly sought: number;
  /** The first row that is shown, and the one that stays it although fewer rows follow than the screen has. */
  readonly top: number;
  readonly keptTop: number;
  readonly typing: Typing | null;
  readonly found: SearchFound | null;
  /** What was found, once one of it is shown in the tree: n and N show the others. */
  readonly trail: SearchFound | null;
  /** What the position and the chosen node do not share. */
  readonly apart: Apart | null;
  readonly preview: boolean;
  /** The first row that is shown of the keys; null while the tree is. */
  readonly help: number | null;
  /** Something to tell, until the next key. */
  readonly word: string | null;
}

/** How a navigator begins: at one node, with every branch that does not lead there folded, unless the tree is small. */
export function openNavigation(begun: Pick<Navigation, 'grown' | 'early' | 'position' | 'sought'>): Navigation {
  const { grown, early, sought } = begun;
  const isSmall = early === null && grown.count() <= UNFOLDED_NODES_MAX;
  const folded = isSmall ? new Set<number>() : branchesOffPath(grown, sought);
  return listed({
    ...{ ...begun, filter: 'all', folded, aside: null, marks: new Map(), rows: new Int32Array(0), selected: sought },
    ...{ top: 0, keptTop: 0, typing: null, found: null, trail: null, apart: null },
    ...{ preview: true, help: null, word: null },
  });
}

/** The same with its rows made anew; what is chosen stays chosen, or what stands for it. */
export function listed(state: Navigation): Navigation {
  const { grown, filter, folded, marks, early } = state;
  const all = rowsOf(grown, { filter, folded, marked: new Set(marks.keys()) });
  const rows = early === null ? all : known(all, early);
  return { ...state, rows, selected: nearestRow({ ...state, rows }), keptTop: 0 };
}

function known(rows: Int32Array, { anchor, above, below }: Early): Int32Array {
  const at = rows.indexOf(anchor);
  return rows.subarray(Math.max(0, at - above), at + below + 1);
}

export function chosen(state: Navigation, index: number): Navigation {
  return { ...state, selected: index, sought: index };
}

/** Scrolls so that the chosen row stands in the middle, as far as there are rows. */
export function centered(state: Navigation, height: number): Navigation {
  const top = Math.min(rowOf(state) - Math.floor(height / 2), state.rows.length - height);
  return { ...state, top: Math.max(0, top) };
}

/** The tree has changed by itself: what is chosen stays where it stands on the screen. */
export function steadied(before: Navigation, changed: Navigation): Navigation {
  const after = listed(changed);
  const top = Math.max(0, rowOf(after) - (rowOf(before) - before.top));
  return { ...after, top, keptTop: top };
}

/** The same once the whole tree is read. */
export function onWhole(state: Navigation, grown: TreeShape): Navigation {
  const { early } = state;
  if (early === null) return state;
  const renumbered = (index: number): number => (index === NONE ? NONE : grown.indexOf(state.grown.seqOf(index)));
  const anchor = Math.max(0, renumbered(early.anchor));
  const sought = renumbered(state.sought);
  return steadied(state, {
    ...{ ...state, grown, early: null, folded: branchesOffPath(grown, anchor), apart: null },
    ...{ position: renumbered(state.position), sought: sought === NONE ? anchor : sought },
  });
}

/** Shows a node whatever is folded, and chooses it. */
export function revealed(state: Navigation, index: number): Navigation {
  const shown = listed(unfoldedTo(chosen(state, index), state.grown.headOf(index)));
  if (shown.selected === index) return shown;
  return listed(unfoldedTo(listing(shown, 'all'), state.grown.headOf(index)));
}

/** Unfolds the branch that begins with a node, and those that it stands in. */
function unfoldedTo(state: Navigation, branch: number): Navigation {
  const folded = new Set(state.folded);
  for (let head = branch; head !== NONE; head = headAbove(state.grown, head)) folded.delete(head);
  return { ...state, folded };
}

function headAbove(grown: TreeShape, head: number): number {
  const above = grown.parentOf(head);
  return above === NONE ? NONE : grown.headOf(above);
}

/** What was sought when it is listed, else the nearest above it that is, else what grew from it, else the first. */
function nearestRow({ grown, rows, sought }: Navigation): number {
  if (rows.includes(sought)) return sought;
  const shown = new Uint8Array(grown.count());
  for (const index of rows) shown[index] = 1;
  for (let index = sought; index !== NONE; index = grown.parentOf(index)) if (shown[index] === 1) return index;
  const isBelow = new Uint8Array(grown.count());
  if (sought !== NONE) isBelow[sought] = 1;
  for (let index = sought + 1; index < isBelow.length; index += 1) isBelow[index] = isBelow[grown.parentOf(index)] ?? 0;
  return rows.find((index) => isBelow[index] === 1) ?? rows[0] ?? NONE;
}

export function rowOf({ rows, selected }: Navigation): number {
  return Math.max(0, rows.indexOf(selected));
}

/** Chooses the row so many rows further down. */
export function moved(state: Navigation, rows: number): Navigation {
  const row = Math.min(Math.max(0, rowOf(state) + rows), state.rows.length - 1);
  const index = state.rows[row];
  return index === undefined ? state : chosen(state, index);
}

/** Scrolls so that the chosen row is among the rows that are seen. */
export function scrolled(state: Navigation, height: number): Navigation {
  const row = rowOf(state);
  const lowest = Math.max(0, state.rows.length - height, state.keptTop);
  const top = Math.min(Math.max(state.top, row - height + 1), row, lowest);
  return top === state.top ? state : { ...state, top: Math.max(0, top) };
}

/**
 * Shows the branch of the chosen node as one line; of a branch that is one already, the branch that it forks from. A
 * branch of a single node is one line from the beginning.
 */
export function folded(state: Navigation): Navigation {
  const { grown, selected } = state;
  const head = grown.headOf(selected);
  const parent = grown.parentOf(head);
  if (parent === NONE) return { ...state, word: 'This is the trunk: only branches fold.' };
  if (state.folded.has(head) || grown.sizeOf(head) === 1) return listed({ ...state, sought: parent });
  return listed({ ...chosen(state, head), folded: new Set(state.folded).add(head) });
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
  return listed({ ...listing(state, next), word: `Shown: ${FILTER_WORDS[next]}` });
}

/** Ends and marks are listed wherever they stand; what was folded is so again afterwards, but for where the chosen node is. */
function listing(state: Navigation, filter: Filter): Navigation {
  const { grown, folded, aside, sought } = state;
  const isEverywhere = filter === 'leaves' || filter === 'marks';
  if (isEverywhere) return { ...state, filter, folded: aside === null ? new Set() : folded, aside: aside ?? folded };
  if (aside === null) return { ...state, filter };
  const again = { ...state, filter, folded: aside, aside: null };
  return unfoldedTo(again, aside.has(sought) ? headAbove(grown, sought) : grown.headOf(sought));
}

export const FILTER_WORDS: Record<Filter, string> = {
  all: 'all',
  messages: 'messages',
  tools: 'tools',
  leaves: 'ends of branches',
  marks: 'marks',
};
