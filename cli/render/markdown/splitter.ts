import { endsFence, indentOf, kindOf, type LineKind } from './line_kinds.js';
import type { PhysicalLine } from './physical_lines.js';

/** A piece of markdown that can be drawn without what comes after it. */
export type MarkdownPiece =
  | { kind: 'gap' }
  | { kind: 'text'; text: string; first: string; others: string; goesOn: boolean }
  | { kind: 'fence_opened'; marks: string; language: string; indent: string }
  | { kind: 'code'; text: string; indent: string }
  | { kind: 'fence_closed'; marks: string; indent: string };

interface Chunk {
  kind: 'plain' | 'quote';
  lines: string[];
  length: number;
  /** What stands before its first line and before the others. */
  first: string;
  others: string;
  /** Whether it is the rest of a line that was too long. */
  goesOn: boolean;
  /** How many of its lines are drawn already: the heading of a table, below which the rest of it goes on. */
  repeated: number;
}

interface Level {
  contentIndent: number;
  /** Blanks before what belongs to the item. */
  indent: string;
}

interface Counter {
  mark: string;
  next: number;
}

interface Fence {
  mark: string;
  size: number;
  /** How far the fence itself is indented: so much is taken away from its lines. */
  strip: number;
  indent: string;
}

/** Where in a text one stands. */
export interface TextPlace {
  chunk: Chunk | null;
  fence: Fence | null;
  levels: Level[];
  counters: Counter[];
  hasGap: boolean;
  isFirst: boolean;
}

/** A paragraph or item longer than this is drawn before it is known to be complete. */
const CHUNK_LENGTH_MAX = 8_000;
const TABLE_HEAD_LINES = 2;
const TABLE_HEAD_LENGTH_MAX = 1_000;
const TABLE_RULE = /^(?=.*\|) *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;
const LEVELS_MAX = 12;
const CODE_INDENT = 4;

export function newPlace(): TextPlace {
  return { chunk: null, fence: null, levels: [], counters: [], hasGap: false, isFirst: true };
}

export function copyOf(place: TextPlace): TextPlace {
  return {
    ...place,
    chunk: place.chunk === null ? null : { ...place.chunk, lines: [...place.chunk.lines] },
    levels: [...place.levels],
    counters: place.counters.map((counter) => ({ ...counter })),
  };
}

/** Takes one more line; returns what is complete by it. */
export function takeLine(place: TextPlace, line: PhysicalLine): MarkdownPiece[] {
  if (place.fence !== null) return takeCode(place, place.fence, line.text);
  if (place.chunk?.goesOn === true && place.chunk.lines.length === 0) return takeRest(place, line);
  const pieces = line.text.trim() === '' ? takeBlank(place) : takeText(place, line.text);
  return line.isCut ? [...pieces, ...takeCut(place)] : pieces;
}

/** Ends what is not ended. */
export function flush(place: TextPlace): MarkdownPiece[] {
  const { chunk } = place;
  place.chunk = null;
  if (chunk === null || chunk.lines.length === chunk.repeated) return [];
  const { first, others, goesOn } = chunk;
  return [...gapBefore(place), { kind: 'text', text: chunk.lines.join('\n'), first, others, goesOn }];
}

function gapBefore(place: TextPlace): MarkdownPiece[] {
  const isSeen = place.hasGap && !place.isFirst;
  place.hasGap = false;
  place.isFirst = false;
  return isSeen ? [{ kind: 'gap' }] : [];
}

function takeBlank(place: TextPlace): MarkdownPiece[] {
  const pieces = flush(place);
  place.hasGap = true;
  return pieces;
}

/** What follows the part of a line that was too long belongs to the same paragraph, whatever it looks like. */
function takeCut(place: TextPlace): MarkdownPiece[] {
  const { chunk } = place;
  const pieces = flush(place);
  if (chunk === null) return pieces;
  place.chunk = { ...chunk, lines: [], length: 0, repeated: 0, first: chunk.others, goesOn: true };
  return pieces;
}

function takeRest(place: TextPlace, line: PhysicalLine): MarkdownPiece[] {
  place.chunk?.lines.push(line.text);
  return line.isCut ? takeCut(place) : flush(place);
}

function takeText(place: TextPlace, line: string): MarkdownPiece[] {
  const indent = indentOf(line);
  const kind = kindOf(line.trimStart());
  if (isLazy(place, kind)) return addLine(place, line.trimStart());
  while (indent < (place.levels.at(-1)?.contentIndent ?? 0)) place.levels.pop();
  const base = place.levels.at(-1)?.contentIndent ?? 0;
  const text = line.slice(base);
  if (indent - base >= CODE_INDENT) {
    return place.chunk === null ? [...open(place, 'plain'), ...addLine(place, text)] : addLine(place, text.trimStart());
  }
  return takeKind(place, { kind, text: text.trimStart(), indent });
}

/** Whether a line goes on with the paragraph above though it is not indented like it. */
function isLazy(place: TextPlace, kind: LineKind): boolean {
  return place.chunk?.kind === 'plain' && kind.kind === 'text';
}

function takeKind(
  place: TextPlace,
  { kind, text, indent }: { kind: LineKind; text: string; indent: number },
): MarkdownPiece[] {
  switch (kind.kind) {
    case 'fence':
      return openFence(place, kind, indent);
    case 'item':
      // Inside a paragraph only a list that starts with 1 begins: other numbers are a part of the text.
      return place.chunk?.others === '' && /^(?!1[.)])\d/.test(kind.marker)
        ? addLine(place, text)
        : openItem(place, kind, indent);
    case 'alone':
      return [...open(place, 'plain'), ...addLine(place, text), ...flush(place)];
    case 'underline':
      if (place.chunk?.kind === 'plain') return [...addLine(place, text), ...flush(place)];
      return [...open(place, 'plain'), ...addLine(place, text), ...flush(place)];
    case 'quote':
      return place.chunk?.kind === 'quote' ? addLine(place, text) : [...open(place, 'quote'), ...addLine(place, text)];
    case 'text':
      return place.chunk === null || place.chunk.kind === 'quote'
        ? [...open(place, 'plain'), ...addLine(place, text)]
        : addLine(place, text);
  }
}

function open(place: TextPlace, kind: 'plain' | 'quote'): MarkdownPiece[] {
  const pieces = flush(place);
  const indent = place.levels.at(-1)?.indent ?? '';
  if (place.levels.length === 0) place.counters = [];
  place.chunk = { kind, lines: [], length: 0, repeated: 0, first: indent, others: indent, goesOn: false };
  return pieces;
}

function addLine(place: TextPlace, text: string): MarkdownPiece[] {
  const { chunk } = place;
  if (chunk === null) return [];
  chunk.lines.push(text);
  chunk.length += text.length + 1;
  return chunk.length > CHUNK_LENGTH_MAX ? takeLong(place, chunk) : [];
}

/** Draws what is too long to wait for; what follows of a table has its heading once more, or it would be none. */
function takeLong(place: TextPlace, chunk: Chunk): MarkdownPiece[] {
  const pieces = flush(place);
  const head = chunk.lines.slice(0, TABLE_HEAD_LINES);
  const length = head.join('\n').length + 1;
  if (chunk.kind === 'plain' && length <= TABLE_HEAD_LENGTH_MAX && TABLE_RULE.test(head[1] ?? '')) {
    place.chunk = { ...chunk, lines: head, length, repeated: TABLE_HEAD_LINES, first: chunk.others };
  }
  return pieces;
}

function openItem(place: TextPlace, item: Extract<LineKind, { kind: 'item' }>, indent: number): MarkdownPiece[] {
  const pieces = flush(place);
  if (place.levels.length >= LEVELS_MAX) place.levels.pop();
  const outer = place.levels.at(-1)?.indent ?? '';
  const marker = item.ordered ? numberOf(place, item.marker) : bulletOf(place);
  const others = outer + ' '.repeat(marker.length + 1);
  place.levels.push({ contentIndent: indent + item.contentIndent, indent: others });
  const nested = kindOf(item.content);
  if (nested.kind === 'fence') {
    // The marker stands alone above the code.
    pieces.push(...gapBefore(place), { kind: 'text', text: '', first: `${outer}${marker}`, others, goesOn: false });
    return [...pieces, ...openFence(place, nested, indent + item.contentIndent)];
  }
  const kind = nested.kind === 'quote' ? 'quote' : 'plain';
  place.chunk = { kind, lines: [], length: 0, repeated: 0, first: `${outer}${marker} `, others, goesOn: false };
  return [...pieces, ...addLine(place, item.content)];
}

/** Numbers count on from the first one of their list, as markdown has it. */
function numberOf(place: TextPlace, marker: string): string {
  const depth = place.levels.length;
  const mark = marker.slice(-1);
  const known = place.counters[depth];
  const number = known?.mark === mark ? known.next : Number(marker.slice(0, -1));
  place.counters.length = Math.min(place.counters.length, depth);
  place.counters[depth] = { mark, next: number + 1 };
  return `${number}${mark}`;
}

function bulletOf(place: TextPlace): string {
  place.counters.length = Math.min(place.counters.length, place.levels.length);
  return '-';
}

function openFence(place: TextPlace, fence: Extract<LineKind, { kind: 'fence' }>, strip: number): MarkdownPiece[] {
  const pieces = [...flush(place), ...gapBefore(place)];
  const indent = place.levels.at(-1)?.indent ?? '';
  place.fence = { mark: fence.mark, size: fence.size, strip, indent };
  return [...pieces, { kind: 'fence_opened', marks: fence.mark.repeat(fence.size), language: fence.language, indent }];
}

function takeCode(place: TextPlace, fence: Fence, line: string): MarkdownPiece[] {
  const text = line.slice(Math.min(indentOf(line), fence.strip));
  if (!endsFence(text, fence)) return [{ kind: 'code', text, indent: fence.indent }];
  place.fence = null;
  return [{ kind: 'fence_closed', marks: fence.mark.repeat(fence.size), indent: fence.indent }];
}
