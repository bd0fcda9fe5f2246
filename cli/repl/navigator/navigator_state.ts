import type { Hit } from '../../render/tree/search_hits.js';
import { NONE } from '../../web/page/core/node_table.js';
import type { Confirmation } from '../editor/keys/confirmation.js';
import {
  branchesOffPath,
  FILTERS,
  type Filter,
  headsOfTrunk,
  headsOnPath,
  type NodeComparison,
  rowsOf,
} from './listed_nodes.js';
import type { TreeShape } from './tree_shape.js';

/** Trees up to this size are opened with every branch unfolded. */
const UNFOLDED_NODES_MAX = 200;

/** A line that is being typed. */
export interface Typing {
  purpose: 'search' | 'mark';
  text: string;
  /** What is done with the first hit as soon as it is found. */
  awaited: 'go_to_hit' | 'reveal' | null;
}

/** The hits of a search over whole contents. */
export interface SearchResults {
  query: string;
  hits: readonly Hit[];
  selected: number;
}

/** A tree of which only the rows around one node are read, without a gap. */
export interface PartialTree {
  /** The node, and how many rows above and below it were read. */
  anchor: number;
  above: number;
  below: number;
  /** Whether the list begins and ends with them. */
  begins: boolean;
  ends: boolean;
  /** All nodes of the tree, left out and archived ones included. */
  nodeCount: number;
}

/** What is done to a node only when the person has confirmed it. */
export type ConfirmedAction =
  /** Go to before it, with its text in the editor. */
  | { kind: 'edit'; index: number }
  | { kind: 'archive'; index: number }
  /** Undo that. */
  | { kind: 'restore'; index: number };

/** The state of the navigator. Never changed: each function makes a new one. The tree itself only grows. */
export interface Navigation {
  readonly shape: TreeShape;
  /** Null once the whole tree is read. */
  readonly partial: PartialTree | null;
  /** The person's position; `NONE` while it is in an archived branch. */
  readonly position: number;
  /** The node where the navigator was opened: the position, or the nearest above it that is not archived. */
  readonly anchor: number;
  /** The first nodes of the runs of the trunk, which stays in the first column. */
  readonly trunk: ReadonlySet<number>;
  readonly filter: Filter;
  readonly folded: ReadonlySet<number>;
  /** The folds that come back after a list of leaves or marks, which ignores them; null without such a list. */
  readonly foldedBefore: ReadonlySet<number> | null;
  /** The names of marks, by the `seq` of their node. */
  readonly marks: ReadonlyMap<number, readonly string[]>;
  readonly rows: Int32Array;
  /** The selected node; `NONE` where nothing is listed. */
  readonly selected: number;
  /** The node that the person selected: selected again as soon as it is listed again. */
  readonly preferred: number;
  /** The first visible row, and how far down it may stay although fewer rows follow than the screen has. */
  readonly top: number;
  readonly pinnedTop: number;
  readonly typing: Typing | null;
  readonly results: SearchResults | null;
  /** The results of which one is shown in the tree: n and N show the others. */
  readonly lastResults: SearchResults | null;
  /** What the paths of the position and of the selected node do not share. */
  readonly comparison: NodeComparison | null;
  readonly preview: boolean;
  /** The first visible row of the list of keys; null while the tree is shown. */
  readonly help: number | null;
  /** What is done when the person says so. */
  readonly asking: Confirmation<ConfirmedAction> | null;
  /** A message for the person, until the next key. */
  readonly message: string | null;
}

/** The first state: at one node, with every branch that does not lead there folded, unless the tree is small. */
export function openNavigation(start: Pick<Navigation, 'shape' | 'partial' | 'position' | 'preferred'>): Navigation {
  const { shape, partial, preferred } = start;
  const isSmall = partial === null && shape.count() <= UNFOLDED_NODES_MAX;
  const folded = isSmall ? new Set<number>() : branchesOffPath(shape, preferred);
  return withRows({
    ...{
      ...start,
      anchor: preferred,
      trunk: new Set<number>(),
      filter: 'all',
      folded,
      foldedBefore: null,
      marks: new Map(),
      rows: new Int32Array(0),
      selected: preferred,
    },
    ...{ top: 0, pinnedTop: 0, typing: null, results: null, lastResults: null, comparison: null },
    ...{ preview: true, help: null, asking: null, message: null },
  });
}

/** The state with its rows computed again; the selected node stays selected, or its nearest listed relative. */
export function withRows(state: Navigation): Navigation {
  const { shape, filter, folded, marks, partial, position, anchor } = state;
  const at = position === NONE ? anchor : position;
  // Which branch is the heaviest is known once the whole tree is.
  const trunk = partial === null ? headsOfTrunk(shape, at) : headsOnPath(shape, at);
  const all = rowsOf(shape, { filter, folded, marked: new Set(marks.keys()), trunk });
  const rows = partial === null ? all : within(all, partial);
  return { ...state, trunk, rows, selected: nearestRow({ ...state, rows }), pinnedTop: 0 };
}

function within(rows: Int32Array, { anchor, above, below }: PartialTree): Int32Array {
  const at = rows.indexOf(anchor);
  return rows.subarray(Math.max(0, at - above), at + below + 1);
}

export function withSelected(state: Navigation, index: number): Navigation {
  return { ...state, selected: index, preferred: index };
}

/** Scrolls so that the selected row is in the middle, as far as there are rows. */
export function centered(state: Navigation, height: number): Navigation {
  const top = Math.min(rowOf(state) - Math.floor(height / 2), state.rows.length - height);
  return { ...state, top: Math.max(0, top) };
}

/** A state that somebody else's change of the tree made: the selected row keeps its place on the screen. */
export function withStableScroll(before: Navigation, changed: Navigation): Navigation {
  const after = withRows(changed);
  const top = Math.max(0, rowOf(after) - (rowOf(before) - before.top));
  return { ...after, top, pinnedTop: top };
}

/** The state once the whole tree is read. */
export function withWholeTree(state: Navigation, shape: TreeShape): Navigation {
  const { partial } = state;
  if (partial === null) return state;
  const renumbered = (index: number): number => (index === NONE ? NONE : shape.indexOf(state.shape.seqOf(index)));
  const anchor = Math.max(0, renumbered(partial.anchor));
  const preferred = renumbered(state.preferred);
  return withStableScroll(state, {
    ...{ ...state, shape, anchor, partial: null, folded: branchesOffPath(shape, anchor), comparison: null },
    // What is asked is about a node by its place among those that were read.
    asking: null,
    ...{ position: renumbered(state.position), preferred: preferred === NONE ? anchor : preferred },
  });
}

/** Unfolds and unfilters until a node is listed, and selects it. */
export function revealed(state: Navigation, index: number): Navigation {
  const unfolded = withRows(unfoldedTo(withSelected(state, index), state.shape.headOf(index)));
  if (unfolded.selected === index) return unfolded;
  return withRows(unfoldedTo(withFilter(unfolded, 'all'), state.shape.headOf(index)));
}

/** Unfolds the branch that begins with a node, and the branches around it. */
function unfoldedTo(state: Navigation, branch: number): Navigation {
  const folded = new Set(state.folded);
  for (let head = branch; head !== NONE; head = headAbove(state.shape, head)) folded.delete(head);
  return { ...state, folded };
}

function headAbove(shape: TreeShape, head: number): number {
  const above = shape.parentOf(head);
  return above === NONE ? NONE : shape.headOf(above);
}

/** The preferred node if it is listed, else the nearest above it that is, else one below it, else the first row. */
function nearestRow({ shape, rows, preferred }: Navigation): number {
  if (rows.includes(preferred)) return preferred;
  const isListed = new Uint8Array(shape.count());
  for (const index of rows) isListed[index] = 1;
  for (let index = preferred; index !== NONE; index = shape.parentOf(index)) if (isListed[index] === 1) return index;
  const isBelow = new Uint8Array(shape.count());
  if (preferred !== NONE) isBelow[preferred] = 1;
  for (let index = preferred + 1; index < isBelow.length; index += 1)
    isBelow[index] = isBelow[shape.parentOf(index)] ?? 0;
  return rows.find((index) => isBelow[index] === 1) ?? rows[0] ?? NONE;
}

export function rowOf({ rows, selected }: Navigation): number {
  return Math.max(0, rows.indexOf(selected));
}

/** Selects the row so many rows further down. */
export function moved(state: Navigation, rows: number): Navigation {
  const row = Math.min(Math.max(0, rowOf(state) + rows), state.rows.length - 1);
  const index = state.rows[row];
  return index === undefined ? state : withSelected(state, index);
}

/** Scrolls as little as needed to make the selected row visible. */
export function scrolled(state: Navigation, height: number): Navigation {
  const row = rowOf(state);
  const lowest = Math.max(0, state.rows.length - height, state.pinnedTop);
  const top = Math.min(Math.max(state.top, row - height + 1), row, lowest);
  return top === state.top ? state : { ...state, top: Math.max(0, top) };
}

/**
 * Folds the branch of the selected node into one line; where it is one line already, selects the node that it forks from. A
 * branch of a single node is one line from the beginning.
 */
export function folded(state: Navigation): Navigation {
  const { shape, selected } = state;
  const head = shape.headOf(selected);
  const parent = shape.parentOf(head);
  if (parent === NONE) return { ...state, message: 'This is the trunk: only branches fold.' };
  if (state.folded.has(head) || shape.sizeOf(head) === 1) return withRows({ ...state, preferred: parent });
  return withRows({ ...withSelected(state, head), folded: new Set(state.folded).add(head) });
}

export function unfolded(state: Navigation): Navigation {
  const { folded, selected } = state;
  if (!folded.has(selected)) return moved(state, 1);
  const rest = new Set(folded);
  rest.delete(selected);
  return withRows({ ...state, folded: rest });
}

/** Folds every branch that does not lead to the selected node; unfolds all if that is done already. */
export function foldedAll(state: Navigation): Navigation {
  const others = branchesOffPath(state.shape, state.selected);
  const isDone = [...others].every((head) => state.folded.has(head));
  return withRows({ ...state, folded: isDone ? new Set() : others });
}

export function withNextFilter(state: Navigation): Navigation {
  const next = FILTERS[(FILTERS.indexOf(state.filter) + 1) % FILTERS.length] ?? 'all';
  return withRows({ ...withFilter(state, next), message: `Shown: ${FILTER_WORDS[next]}` });
}

/** Leaves and marks are listed in folded branches too. The folds come back afterwards, but not around the selected node. */
function withFilter(state: Navigation, filter: Filter): Navigation {
  const { shape, folded, foldedBefore, preferred } = state;
  const isEverywhere = filter === 'leaves' || filter === 'marks';
  if (isEverywhere)
    return {
      ...state,
      filter,
      folded: foldedBefore === null ? new Set() : folded,
      foldedBefore: foldedBefore ?? folded,
    };
  if (foldedBefore === null) return { ...state, filter };
  const again = { ...state, filter, folded: foldedBefore, foldedBefore: null };
  return unfoldedTo(again, foldedBefore.has(preferred) ? headAbove(shape, preferred) : shape.headOf(preferred));
}

export const FILTER_WORDS: Record<Filter, string> = {
  all: 'all',
  messages: 'messages',
  tools: 'tools',
  leaves: 'ends of branches',
  marks: 'marks',
};
