import type { RowMark, TextHit } from '../../render/text/text_search.js';
import type { TextRow } from '../../render/text/wrap_words.js';
import type { Confirmation } from '../editor/keys/confirmation.js';
import type { LeaderAction } from './leader.js';
import type { ViewedBlock } from './path_blocks.js';
import type { Span } from './read_path.js';
import type { TypedLine } from './typed_line.js';

/** The contents and selection of the viewer. Immutable. */
export interface Viewing {
  /** The loaded blocks, in path order. */
  readonly blocks: readonly ViewedBlock[];
  /** The loaded range of nodes, and the length of the path. */
  readonly span: Span & { length: number };
  /** Blocks whose folding differs from their initial one. */
  readonly flipped: ReadonlySet<string>;
  /** The selected block. */
  readonly chosen: number;
  /** The first visible row. */
  readonly top: Place;
  /** The line being typed: a query or a command. */
  readonly typing: TypedLine | null;
  readonly query: string;
  /** The current match; null before the first. */
  readonly found: FoundPlace | null;
  /** Whether the leader key was pressed, and its keys are listed. */
  readonly leader: 'none' | 'pressed' | 'listed';
  /** The action that awaits confirmation. */
  readonly asking: Confirmation<Exclude<LeaderAction, 'keys'>> | null;
  /** Whether the copy key was pressed once. */
  readonly isYanking: boolean;
  readonly help: boolean;
  /** A message until the next key. */
  readonly word: string | null;
}

interface Place {
  block: number;
  row: number;
}

/** A match. */
export interface FoundPlace {
  /** The block, and the index of the match in it. */
  key: string;
  index: number;
  /** Whether the search wrapped around. */
  isAround: boolean;
  /** Its number from the start; null until counted. */
  tally: { place: number; total: number } | null;
}

/** The rows of the blocks. */
export interface Rows {
  /** At least one row. */
  of(view: Viewing, block: number): readonly TextRow[];
  /** The number of blank rows above the block. */
  gap(view: Viewing, block: number): number;
  /** The highlights, by row. */
  marks(view: Viewing, block: number): ReadonlyMap<number, readonly RowMark[]>;
  /** The matches in an unfolded block. */
  hits(block: ViewedBlock, query: string): readonly TextHit[];
  height: number;
  width: number;
}

export const EMPTY_VIEW: Viewing = {
  ...{ blocks: [], span: { start: 0, end: 0, length: 0 }, flipped: new Set(), chosen: 0, top: { block: 0, row: 0 } },
  ...{ typing: null, query: '', found: null, leader: 'none', asking: null, isYanking: false },
  ...{ help: false, word: null },
};

export function isFolded({ flipped }: Viewing, block: ViewedBlock): boolean {
  return block.startsFolded !== flipped.has(block.key);
}

export function chosenBlock({ blocks, chosen }: Viewing): ViewedBlock | null {
  return blocks[chosen] ?? null;
}

/** The view with other blocks; selection and scroll position stay. */
export function withBlocks(view: Viewing, blocks: readonly ViewedBlock[], span: Viewing['span']): Viewing {
  const places = new Map(blocks.map(({ key }, place) => [key, place]));
  const placeOf = (block: number): number =>
    places.get(view.blocks[block]?.key ?? '') ?? Math.max(0, blocks.length - 1);
  const top = { block: placeOf(view.top.block), row: view.top.row };
  return { ...view, blocks, span, chosen: placeOf(view.chosen), top };
}

export function folded(view: Viewing, rows: Rows): Viewing {
  const block = chosenBlock(view);
  if (block === null) return view;
  const flipped = new Set(view.flipped);
  if (!flipped.delete(block.key)) flipped.add(block.key);
  return chosenAt({ ...view, flipped }, view.chosen, rows);
}

/** Selects a block and scrolls to show as much of it as fits. */
export function chosenAt(view: Viewing, block: number, rows: Rows): Viewing {
  const chosen = Math.min(Math.max(0, block), Math.max(0, view.blocks.length - 1));
  const next = { ...view, chosen };
  if (view.blocks.length === 0) return next;
  if (chosen < view.top.block) return lowered({ ...next, top: { block: chosen, row: 0 } }, rows);
  const wide = rows.of(next, chosen).length;
  const above = rowsBetween(next, chosen, rows);
  if (wide >= rows.height) return { ...next, top: { block: chosen, row: 0 } };
  if (above < 0 || above > FAR_ROWS) return lowered({ ...next, top: { block: chosen, row: 0 } }, rows);
  return above + wide > rows.height
    ? lowered(moved(next, above + wide - rows.height, rows), rows)
    : lowered(next, rows);
}

/** Scrolls by rows and keeps the selection visible. */
export function scrolled(view: Viewing, by: number, rows: Rows): Viewing {
  if (view.blocks.length === 0) return view;
  const next = lowered(moved(view, by, rows), rows);
  const seen = seenRows(next, rows);
  const first = seen[0]?.block ?? 0;
  const last = seen.at(-1)?.block ?? first;
  return { ...next, chosen: Math.min(Math.max(first, next.chosen), last) };
}

/** Scrolls to the end and selects the last block. */
export function atEnd(view: Viewing, rows: Rows): Viewing {
  const chosen = Math.max(0, view.blocks.length - 1);
  return { ...view, chosen, top: lowest(view, rows) };
}

export function isAtEnd(view: Viewing, rows: Rows): boolean {
  const { top } = view;
  const low = lowest(view, rows);
  return top.block === low.block ? top.row >= low.row : top.block > low.block;
}

/** The visible rows, each with its block. */
export function seenRows(view: Viewing, rows: Rows): SeenRow[] {
  const seen: SeenRow[] = [];
  let { block, row } = view.top;
  while (block < view.blocks.length && seen.length < rows.height) {
    const cut = rows.of(view, block);
    for (; row < cut.length && seen.length < rows.height; row += 1) {
      seen.push({ text: cut[row]?.text ?? '', block, row });
    }
    block += 1;
    row = 0;
  }
  return seen;
}

export interface SeenRow extends Place {
  text: string;
}

/** Selects a block and scrolls one of its rows into the upper part of the screen, unless it is visible. */
export function shownAt(view: Viewing, place: Place, rows: Rows): Viewing {
  const next = { ...view, chosen: place.block };
  if (seenRows(next, rows).some(({ block, row }) => block === place.block && row === place.row)) return next;
  return lowered(moved({ ...next, top: place }, -Math.floor(rows.height / 3), rows), rows);
}

function moved(view: Viewing, by: number, rows: Rows): Viewing {
  let { block, row } = view.top;
  row = Math.min(row, rows.of(view, block).length - 1);
  let left = by;
  while (left > 0) {
    const below = rows.of(view, block).length - row;
    if (left < below || block === view.blocks.length - 1) {
      row += Math.min(left, below - 1);
      break;
    }
    left -= below;
    block += 1;
    row = 0;
  }
  while (left < 0) {
    if (row >= -left || block === 0) {
      row = Math.max(0, row + left);
      break;
    }
    left += row;
    block -= 1;
    row = rows.of(view, block).length;
  }
  return { ...view, top: { block, row } };
}

/** Limits scrolling so that the last rows fill the screen. */
function lowered(view: Viewing, rows: Rows): Viewing {
  return isAtEnd(view, rows) ? { ...view, top: lowest(view, rows) } : view;
}

/** The first row of a screen that shows the end. */
function lowest(view: Viewing, rows: Rows): Place {
  let left = rows.height;
  for (let block = view.blocks.length - 1; block >= 0; block -= 1) {
    const high = rows.of(view, block).length;
    if (high >= left) return { block, row: high - left };
    left -= high;
  }
  return { block: 0, row: 0 };
}

/** Beyond this distance the view jumps instead of scrolling. */
const FAR_ROWS = 1_000;

/** The distance of a block from the first visible row; above FAR_ROWS it is not exact. */
function rowsBetween(view: Viewing, block: number, rows: Rows): number {
  let between = -view.top.row;
  for (let at = view.top.block; at < block; at += 1) {
    between += rows.of(view, at).length;
    if (between > FAR_ROWS) return between;
  }
  return between;
}
