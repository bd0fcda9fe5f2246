import type { SkeletonNode } from '../../../hub/protocol/node.js';
import { pathTo, runEnd, runOf, straightOn, type TrunkRule, weightsOf } from '../../../loom/tree.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import { cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { differing } from '../text/differing_words.js';
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
  /** The names of marks, by node. */
  marks: ReadonlyMap<string, readonly string[]>;
  /** What else is said of nodes, behind their lines; nothing when left out. */
  remarks?: ReadonlyMap<string, string>;
}

// Where lines are not cut, the deep levels of a drawing still have an end.
const INDENT_COLUMNS_MAX = 160;
const LEVEL_COLUMNS = 4;
const LEAD = ' ';
const ID_COLUMNS = 9;
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

/** The lines of a drawing. */
export function* treeLines(drawing: TreeDrawing, look: Look): Generator<TreeLine> {
  const previewOf = previewsApart(drawing, look);
  for (const { start, end, indent, below } of runsOf(drawing, look)) {
    for (const index of runOf(drawing.outline, start, end)) {
      yield index === start
        ? nodeLine(indent, index, { drawing, look, preview: previewOf(index, indent) })
        : nodeLine(below, index, { drawing, look });
    }
  }
}

/** The preview of a branch's first node; of branches that begin alike from the word in which they differ. */
function previewsApart(
  { outline, ids }: TreeDrawing,
  look: Look,
): (index: number, indent: string) => string | undefined {
  const previews = new Map<number, string>();
  return (index, indent) => {
    const above = outline.nodes[index]?.parent ?? null;
    const siblings = above === null ? [] : outline.childrenOf(outline.indexOf(above) ?? 0);
    if (siblings.length < 2) return undefined;
    if (!previews.has(index)) {
      const nodes = siblings.flatMap((sibling) => outline.nodes[sibling] ?? []);
      const room = look.width - look.ruler.width(indent) - (ids ? ID_COLUMNS : 0);
      const visible = (preview: string, at: number): string => {
        const node = nodes[at];
        return node === undefined ? '' : labelOf({ ...node, preview }, room - tailOf(node).length, look);
      };
      const texts = nodes.map(({ preview }) => cleanLine(preview));
      for (const [at, text] of differing(texts, visible, look).entries()) previews.set(siblings[at] ?? index, text);
    }
    return previews.get(index);
  };
}

/** An unbranched run, and what stands before its first line and before the others. */
export interface Run {
  start: number;
  end: number;
  indent: string;
  below: string;
}

/** The runs of a drawing. Never recursive in the depth of the tree: see forkLines. */
export function* runsOf(drawing: TreeDrawing, look: Look): Generator<Run> {
  const { outline, nested } = drawing;
  if (outline.nodes.length === 0) return;
  if (nested) return yield* branchRuns([0], drawing, { look });
  const rule = trunkRule(drawing);
  // The trunk stays in the first column, and other branches leave it to the right.
  for (let start: number | undefined = 0; start !== undefined; ) {
    const end = runEnd(outline, start);
    yield { start, end, indent: start === 0 ? '' : LEAD, below: LEAD };
    const children = outline.childrenOf(end);
    const trunk = straightOn(children, rule);
    const branches = trunk === undefined ? children : [...children.filter((child) => child !== trunk), trunk];
    yield* branchRuns(branches, drawing, { look, trunk });
    start = trunk;
  }
}

/** The path to the position leads; an archived branch goes straight on only where nothing else does. */
function trunkRule({ outline, position }: TreeDrawing): TrunkRule {
  const index = position === null ? undefined : outline.indexOf(position);
  const path = new Set(index === undefined ? [] : pathTo(outline, index));
  const weights = weightsOf(outline);
  return {
    leads: (branch) => path.has(branch),
    weightOf: (branch) => (outline.nodes[branch]?.archived ? 0 : (weights[branch] ?? 0)),
  };
}

/** The branches of a fork with all below them, but for the trunk. */
function* branchRuns(
  starts: readonly number[],
  { outline, nested }: TreeDrawing,
  { look, trunk }: { look: Look; trunk?: number | undefined },
): Generator<Run> {
  const endOf = (index: number): number => (nested ? index : runEnd(outline, index));
  const lead = nested ? '' : LEAD;
  for (const fork of forkLines(starts, (index) => (index === trunk ? [] : outline.childrenOf(endOf(index))))) {
    if (fork.index === trunk) continue;
    const below = lead + indentOf({ ...fork, guides: guidesBelow(fork) }, look);
    yield { start: fork.index, end: endOf(fork.index), indent: lead + indentOf(fork, look), below };
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
  /** Its first words, where they are not those that are stored. */
  preview?: string | undefined;
}

function nodeLine(indent: string, index: number, { drawing, look, preview }: Drawn): TreeLine {
  const node = drawing.outline.nodes[index];
  if (node === undefined) throw new RangeError(`no node ${index} in the outline`);
  const isPosition = drawing.position === node.id;
  const id = drawing.ids ? `${shortId(node.id)} ` : '';
  const names = drawing.marks.get(node.id) ?? [];
  const tail =
    look.width < REMARK_COLUMNS_MIN
      ? ''
      : tailOf(node) + marksTail(names, look) + (drawing.remarks?.get(node.id) ?? '');
  const here = isPosition ? hereSign(look) : '';
  const room = look.width - look.ruler.width(indent + tail) - id.length;
  const titled = preview === undefined ? node : { ...node, preview };
  const label = labelOf(titled, here === '' ? room : room - HERE_GAP_MIN - look.ruler.width(here), look);
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

const MARK_COLUMNS_MAX = 20;

/** The marks of a node, as they stand behind its line. */
export function marksTail(names: readonly string[], look: Look): string {
  return names.map((name) => ` #${cut(cleanLine(name), MARK_COLUMNS_MAX, look)}`).join('');
}
