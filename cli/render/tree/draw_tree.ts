import type { SkeletonNode } from '../../../hub/protocol/node.js';
import { runEnd, runOf } from '../../../loom/tree.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import { shortId } from '../text/ids_and_counts.js';
import { BARS_MAX, type ForkLine, forkLines } from './fork_lines.js';
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

/** Draws a tree line by line. Never recursive in the depth of the tree: see forkLines. */
export function* drawTree(drawing: TreeDrawing, look: Look): Generator<string> {
  const { outline } = drawing;
  if (outline.nodes.length === 0) return;
  if (drawing.nested) {
    for (const fork of forkLines([0], (index) => outline.childrenOf(index))) {
      const indent = indentOf(fork, '', look);
      yield nodeLine(indent + (fork.last ? look.glyphs.corner : look.glyphs.tee), fork.index, { drawing, look });
    }
    return;
  }
  yield nodeLine('', 0, { drawing, look });
  const trunkEnd = runEnd(outline, 0);
  yield* runLines(runOf(outline, 0, trunkEnd), ' ', { drawing, look });
  const forksOf = (index: number): readonly number[] => outline.childrenOf(runEnd(outline, index));
  for (const fork of forkLines(outline.childrenOf(trunkEnd), forksOf)) {
    const indent = indentOf(fork, ' ', look);
    yield nodeLine(indent + (fork.last ? look.glyphs.corner : look.glyphs.tee), fork.index, { drawing, look });
    const rest = runOf(outline, fork.index, runEnd(outline, fork.index));
    yield* runLines(rest, indent + (fork.last ? look.glyphs.blank : look.glyphs.bar), { drawing, look });
  }
}

interface Drawn {
  drawing: TreeDrawing;
  look: Look;
}

/** The nodes of a run after its first, which has a line of another kind. */
function* runLines(indexes: Iterable<number>, indent: string, drawn: Drawn): Generator<string> {
  let isFirst = true;
  for (const index of indexes) {
    if (!isFirst) yield nodeLine(indent, index, drawn);
    isFirst = false;
  }
}

/** The bars before a branch; where they would fill the line, the outer ones are only counted. */
function indentOf(fork: ForkLine, lead: string, look: Look): string {
  const room = Math.min(look.width / 2, INDENT_COLUMNS_MAX) - LEVEL_COLUMNS;
  const levels = Math.max(1, Math.min(BARS_MAX, Math.floor(room / LEVEL_COLUMNS)));
  const shown = fork.depth > levels ? fork.bars.slice(-levels) : fork.bars;
  const hidden = fork.depth - shown.length;
  const bars = [...shown].map((bar) => (bar === '|' ? look.glyphs.bar : look.glyphs.blank)).join('');
  return lead + (hidden > 0 ? `${look.glyphs.ellipsis}${hidden} ` : '') + bars;
}

function nodeLine(indent: string, index: number, { drawing, look }: Drawn): string {
  const node = drawing.outline.nodes[index];
  if (node === undefined) return '';
  const id = drawing.ids ? `${shortId(node.id)} ` : '';
  const tail = look.width < REMARK_COLUMNS_MIN ? '' : tailOf(node);
  const here = drawing.position === node.id ? hereSign(look) : '';
  const room = look.width - look.ruler.width(indent) - id.length - tail.length;
  const label = labelOf(node, here === '' ? room : room - HERE_GAP_MIN - look.ruler.width(here), look);
  const gap = here === '' ? 0 : gapOf(room - look.ruler.width(label) - look.ruler.width(here));
  return [
    look.style.quiet(indent),
    look.style.quiet(id),
    inkOf(node.role, look)(label),
    look.style.quiet(tail),
    ' '.repeat(gap),
    look.style.here(here),
  ].join('');
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
