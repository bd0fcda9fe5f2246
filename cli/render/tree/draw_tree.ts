import type { SkeletonNode } from '../../../hub/protocol/node.js';
import { runEnd, runOf } from '../../../loom/tree.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import { shortId } from '../text/ids_and_counts.js';
import { type ForkLine, forkLines, GUIDE_COLUMNS, GUIDES_MAX, guidesBelow } from './fork_lines.js';
import type { Outline } from './outline.js';

export interface TreeDrawing {
  outline: Outline;
  /** Where the reader stands; null when that is not known. */
  position: string | null;
  /** Every node one level deeper than its parent, instead of unbranched runs in one column. */
  nested: boolean;
  /** With the short id before each node. */
  ids: boolean;
}

// Where lines are not cut, the deep levels of a drawing still have an end.
const INDENT_COLUMNS_MAX = 160;
const LEVEL_COLUMNS = 4;
const HERE_GAP = 10;
const HERE_GAP_MIN = 2;
// Below this many columns the text itself needs the room that remarks would take.
const REMARK_COLUMNS_MIN = 40;

export interface TreeLine {
  text: string;
  /** Whether it shows the node where the reader stands. */
  isPosition: boolean;
}

/** Draws a tree line by line. */
export function* drawTree(drawing: TreeDrawing, look: Look): Generator<string> {
  for (const { text } of treeLines(drawing, look)) yield text;
}

/** The lines of a drawing. Never recursive in the depth of the tree: see forkLines. */
export function* treeLines(drawing: TreeDrawing, look: Look): Generator<TreeLine> {
  const { outline, nested } = drawing;
  if (outline.nodes.length === 0) return;
  const endOf = (index: number): number => (nested ? index : runEnd(outline, index));
  const lead = nested ? '' : ' ';
  if (!nested) {
    for (const index of runOf(outline, 0, endOf(0))) yield nodeLine(index === 0 ? '' : lead, index, { drawing, look });
  }
  const starts = nested ? [0] : outline.childrenOf(endOf(0));
  for (const fork of forkLines(starts, (index) => outline.childrenOf(endOf(index)))) {
    yield nodeLine(lead + indentOf(fork, look), fork.index, { drawing, look });
    const indent = lead + indentOf({ ...fork, guides: guidesBelow(fork) }, look);
    for (const index of runOf(outline, fork.index, endOf(fork.index))) {
      if (index !== fork.index) yield nodeLine(indent, index, { drawing, look });
    }
  }
}

/** The guides before a branch; where they would fill the line, the outer ones are only counted. */
function indentOf({ guides, depth }: ForkLine, look: Look): string {
  const room = Math.min(look.width / 2, INDENT_COLUMNS_MAX) - LEVEL_COLUMNS;
  const levels = Math.max(1, Math.min(GUIDES_MAX - 1, Math.floor(room / LEVEL_COLUMNS)));
  const count = depth > levels ? `${look.glyphs.ellipsis}${depth - levels} ` : '';
  return count + translated(guides.slice(-(levels + 1) * GUIDE_COLUMNS), look);
}

/** Guides of treeify in the signs of a look. */
function translated(guides: string, { glyphs }: Look): string {
  const signs: Record<string, string> = { '│': glyphs.bar, '├': glyphs.tee, '└': glyphs.corner };
  let text = '';
  for (let at = 0; at < guides.length; at += GUIDE_COLUMNS) text += signs[guides[at] ?? ''] ?? glyphs.blank;
  return text;
}

interface Drawn {
  drawing: TreeDrawing;
  look: Look;
}

function nodeLine(indent: string, index: number, { drawing, look }: Drawn): TreeLine {
  const node = drawing.outline.nodes[index];
  if (node === undefined) throw new RangeError(`no node ${index} in the outline`);
  const isPosition = drawing.position === node.id;
  const id = drawing.ids ? `${shortId(node.id)} ` : '';
  const tail = look.width < REMARK_COLUMNS_MIN ? '' : tailOf(node);
  const here = isPosition ? hereSign(look) : '';
  const room = look.width - look.ruler.width(indent) - id.length - tail.length;
  const label = labelOf(node, here === '' ? room : room - HERE_GAP_MIN - look.ruler.width(here), look);
  const gap = here === '' ? 0 : gapOf(room - look.ruler.width(label) - look.ruler.width(here));
  const parts = [
    look.style.quiet(indent),
    look.style.quiet(id),
    inkOf(node.role, look)(label),
    look.style.quiet(tail),
    ' '.repeat(gap),
    look.style.here(here),
  ];
  return { text: parts.join(''), isPosition };
}

function hereSign(look: Look): string {
  return look.width < REMARK_COLUMNS_MIN ? look.glyphs.here : `${look.glyphs.here} you are here`;
}

function gapOf(room: number): number {
  return Math.max(HERE_GAP_MIN, Math.min(HERE_GAP, room));
}

function tailOf(node: SkeletonNode): string {
  return exitTail(node) + (node.archived ? ' (archived)' : '');
}
