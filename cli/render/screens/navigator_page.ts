import type { SkeletonNode } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import { formatAge } from '../text/age.js';
import { clean, cleanLine } from '../text/clean.js';
import { cut, pad } from '../text/cut.js';
import { differing } from '../text/differing_words.js';
import { count } from '../text/ids_and_counts.js';
import { hitsIn, markedRow, type RowMark, searchPattern, type TextHit } from '../text/text_search.js';
import { wrapWords } from '../text/wrap_words.js';
import { foundWords, type Hit, hitLine } from '../tree/search_hits.js';
import type { LiveBlock } from './live_block.js';
import { navigatorKeys } from './navigator_key_row.js';

/** One row of the navigator's list. */
export interface NavigatorRow {
  /** Null until it is fetched. */
  node: SkeletonNode | null;
  branching: { depth: number; bars: readonly boolean[]; isHead: boolean; isLast: boolean };
  /** For a folded branch: the number of its nodes and the time of the newest; null until they are known. */
  folded: { nodes: number | null; newestMs: number | null } | null;
  atMs: number;
  isSelected: boolean;
  isPosition: boolean;
  isArchived: boolean;
  marks: readonly string[];
  /** How many files differ from those where one stands; null for none. */
  differing: number | null;
}

/** One side of a comparison: its first nodes, and how many there are. */
export interface NavigatorSide {
  title: string;
  total: number;
  first: readonly (SkeletonNode | null)[];
}

export interface NavigatorView {
  title: string;
  /** The size of the tree, and the filter. */
  remark: string;
  rows: readonly NavigatorRow[];
  hits: { list: readonly Hit[]; selected: number; query: string } | null;
  sides: readonly NavigatorSide[] | null;
  /** The text of the selected node; null where there is no room for it. */
  preview: readonly string[] | null;
  /** The line that is being typed, behind its label. */
  typing: { label: string; text: string } | null;
  message: string | null;
  /** The first visible row of the list of keys; null while the tree is shown. */
  help: number | null;
}

const HINTS = [
  'Enter go',
  'e edit',
  'q leave',
  '? keys',
  '/ search',
  'f filter',
  'h l fold',
  'm mark',
  'd compare',
  'x archive',
];
const KEYS_HINTS = ['j k scroll', 'any other key: the tree'];
const SIDES_HINTS = ['d or q: back to the tree'];
const LEVEL_COLUMNS = 4;
const POINTER = '> ';
const AGE_COLUMNS_MIN = 50;

/** The rows of the list on a screen. */
export function listHeight({ rows, preview }: { rows: number; preview: boolean }): number {
  return Math.max(1, rows - 2 - (preview ? previewHeight(rows) : 0));
}

/** The rows of the preview with its ruling; none on a small screen. */
export function previewHeight(rows: number): number {
  return rows < 12 ? 0 : Math.min(9, Math.floor(rows / 4) + 1);
}

/** Draws the whole screen of the navigator. */
export function drawNavigator(view: NavigatorView, rows: number, look: Look): LiveBlock {
  const height = listHeight({ rows, preview: view.preview !== null });
  const lines = [
    look.style.strong(cut(cleanLine(`${view.title}: ${view.remark}`), look.width, look)),
    ...padTo(bodyOf(view, height, look), height),
    ...previewOf(view, rows, look),
  ];
  const { typing } = view;
  if (typing === null) {
    return {
      lines: [...lines, look.style.quiet(cut(view.message ?? hintsOf(view, look), look.width, look))],
      cursor: null,
    };
  }
  const text = `${typing.label}${cleanLine(typing.text)}`;
  const line = look.ruler.width(text) < look.width ? text : cut(text, look.width - 1, look);
  const column = look.ruler.width(line);
  return {
    lines: [...lines, line + messageBeside(view.message, look.width - column, look)],
    cursor: { row: lines.length, column },
  };
}

/** A message behind the line that is being typed, if it has room. */
function messageBeside(message: string | null, room: number, look: Look): string {
  const text = message === null ? '' : `  ${message}`;
  return look.ruler.width(text) < room ? look.style.quiet(text) : '';
}

/** The keys for the current view: as many as have room. */
function hintsOf({ help, sides }: NavigatorView, { width, ruler }: Look): string {
  const ofView = sides === null ? HINTS : SIDES_HINTS;
  const [first = '', ...others] = help === null ? ofView : KEYS_HINTS;
  let line = first;
  for (const hint of others) {
    if (ruler.width(`${line}  ${hint}`) > width) break;
    line = `${line}  ${hint}`;
  }
  return line;
}

function bodyOf(view: NavigatorView, height: number, look: Look): string[] {
  if (view.help !== null) return navigatorKeys(view.help, height, look);
  if (view.hits !== null) return hitsOf(view.hits, height, look);
  if (view.sides !== null) return view.sides.flatMap((side) => sideOf(side, Math.floor(height / 2), look));
  if (view.rows.length === 0)
    return [look.style.quiet(cut('Nothing of this kind is here. f lists other kinds.', look.width, look))];
  return siblingsApart(view.rows, look).map((row) => rowOf(row, look));
}

/** Visible branches of one fork that begin alike are told from the word in which they differ. */
function siblingsApart(rows: readonly NavigatorRow[], look: Look): NavigatorRow[] {
  const forks = new Map<string, number[]>();
  for (const [at, { node }] of rows.entries()) {
    if (node?.parent != null) forks.set(node.parent, [...(forks.get(node.parent) ?? []), at]);
  }
  const told = [...rows];
  for (const siblings of forks.values()) {
    const visible = (preview: string, one: number): string => {
      const row = rows[siblings[one] ?? 0];
      return row?.node == null ? '' : labelOf({ ...row.node, preview }, roomOf(row, look), look);
    };
    const previews = siblings.map((at) => cleanLine(rows[at]?.node?.preview ?? ''));
    for (const [one, preview] of differing(previews, visible, look).entries()) {
      const at = siblings[one] ?? 0;
      const row = rows[at];
      if (row?.node != null) told[at] = { ...row, node: { ...row.node, preview } };
    }
  }
  return told;
}

function roomOf(row: NavigatorRow, look: Look): number {
  const here = row.isPosition ? ` ${look.glyphs.here}` : '';
  return look.width - POINTER.length - look.ruler.width(indentOf(row, look) + here + tailOf(row, look));
}

function padTo(lines: readonly string[], height: number): string[] {
  return [...lines.slice(0, height), ...Array(Math.max(0, height - lines.length)).fill('')];
}

function rowOf(row: NavigatorRow, look: Look): string {
  const { node, isSelected, isPosition } = row;
  const pointer = isSelected ? POINTER : '  ';
  const indent = indentOf(row, look);
  const here = isPosition ? ` ${look.glyphs.here}` : '';
  const tail = tailOf(row, look);
  const columns = look.width - look.ruler.width(tail);
  const room = roomOf(row, look);
  const label = node === null ? look.glyphs.ellipsis : labelOf(node, room, look);
  if (isSelected) {
    const text = pad(`${pointer}${indent}${label}${here}`, columns, look.ruler);
    return look.style.match(text + tail);
  }
  const gap = ' '.repeat(Math.max(0, room - look.ruler.width(label)));
  const ink = node === null ? look.style.quiet : inkOf(node.role, look);
  return pointer + look.style.quiet(indent) + ink(label) + look.style.here(here) + gap + look.style.quiet(tail);
}

/** The bars before a row; where they would fill the line, the outer ones are only counted. */
function indentOf({ branching }: NavigatorRow, look: Look): string {
  const { depth, bars, isHead, isLast } = branching;
  const levels = Math.max(1, Math.floor(look.width / 2 / LEVEL_COLUMNS));
  const visible = bars.slice(-levels);
  const hidden = depth - visible.length;
  const signs = visible.map((goesOn, at) => {
    if (isHead && at === visible.length - 1) return isLast ? look.glyphs.corner : look.glyphs.tee;
    return goesOn ? look.glyphs.bar : look.glyphs.blank;
  });
  return (hidden > 0 ? `${look.glyphs.ellipsis}${hidden} ` : '') + signs.join('');
}

/** What stands at the end of a row: where the screen is narrow without the files, else nothing. */
function tailOf(row: NavigatorRow, look: Look): string {
  const { differing } = row;
  const files = differing === null ? '' : `${count(differing, 'path')} differ${differing === 1 ? 's' : ''}`;
  const tails = [tailWith(files, row, look), tailWith('', row, look)];
  return tails.find((tail) => look.ruler.width(tail) * 2 <= look.width) ?? '';
}

function tailWith(files: string, row: NavigatorRow, look: Look): string {
  const { node, marks, folded, isArchived } = row;
  const parts = [
    node === null ? '' : exitTail(node).trim(),
    ...marks.map((name) => `#${cut(cleanLine(name), 20, look)}`),
    folded === null ? '' : `+${folded.nodes ?? look.glyphs.ellipsis}`,
    isArchived ? 'archived' : '',
    files,
    look.width < AGE_COLUMNS_MIN ? '' : ageOf(row, look),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`;
}

function ageOf({ folded, atMs }: NavigatorRow, look: Look): string {
  if (folded === null) return formatAge(atMs, look.nowMs);
  return folded.newestMs === null ? '' : formatAge(folded.newestMs, look.nowMs);
}

function hitsOf({ list, selected, query }: NonNullable<NavigatorView['hits']>, height: number, look: Look): string[] {
  if (list.length === 0)
    return [look.style.quiet(cut(`Nothing has ${JSON.stringify(query)} in it.`, look.width, look))];
  const top = Math.max(0, Math.min(selected - Math.floor(height / 2), list.length - height));
  return list.slice(top, top + height).map((hit, at) => hitLine(hit, top + at === selected, look));
}

function sideOf({ title, total, first }: NavigatorSide, height: number, look: Look): string[] {
  const room = Math.max(0, height - (total > height - 1 ? 2 : 1));
  const nodes = first
    .slice(0, room)
    .map(
      (node) =>
        `  ${node === null ? look.glyphs.ellipsis : inkOf(node.role, look)(labelOf(node, look.width - 2, look))}`,
    );
  const more = total > nodes.length ? [look.style.quiet(`  and ${count(total - nodes.length, 'node')} more`)] : [];
  return [look.style.strong(cut(`${title}: ${count(total, 'node')}`, look.width, look)), ...nodes, ...more];
}

function previewOf({ preview, hits }: NavigatorView, rows: number, look: Look): string[] {
  const height = previewHeight(rows);
  if (preview === null || height === 0) return [];
  const ruling = look.style.quiet('-'.repeat(Math.max(0, Math.min(40, look.width))));
  const hit = hits?.list[hits.selected];
  const words = hit === undefined ? '' : foundWords(hit);
  return [ruling, ...padTo(rowsOfTexts(preview, words, look), height - 1)];
}

/** The lines of a text, wrapped, with the matches highlighted. */
function rowsOfTexts(lines: readonly string[], words: string, look: Look): string[] {
  const pattern = words === '' ? null : searchPattern(words);
  return lines.flatMap((line) => {
    const rows = wrapWords(clean(line).replaceAll('\t', '  '), look.width, look.ruler);
    const parts = pattern === null ? [] : hitsIn(rows, pattern).flatMap((hit) => hit.parts);
    return rows.map(({ text }, at) => markedRow(text, marksIn(parts, at), look.style));
  });
}

function marksIn(parts: TextHit['parts'], at: number): RowMark[] {
  return parts.filter(({ row }) => row === at).map(({ start, end }) => ({ start, end, isCurrent: false }));
}
