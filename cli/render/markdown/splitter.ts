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
  /** The text before its first line and before the others. */
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

/** The state between two lines of a text. */
export interface SplitterState {
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

export function newState(): SplitterState {
  return { chunk: null, fence: null, levels: [], counters: [], hasGap: false, isFirst: true };
}

export function copyOf(state: SplitterState): SplitterState {
  return {
    ...state,
    chunk: state.chunk === null ? null : { ...state.chunk, lines: [...state.chunk.lines] },
    levels: [...state.levels],
    counters: state.counters.map((counter) => ({ ...counter })),
  };
}

/** Takes one more line; returns the pieces that it completes. */
export function takeLine(state: SplitterState, line: PhysicalLine): MarkdownPiece[] {
  if (state.fence !== null) return takeCode(state, state.fence, line.text);
  if (state.chunk?.goesOn === true && state.chunk.lines.length === 0) return takeRest(state, line);
  const pieces = line.text.trim() === '' ? takeBlank(state) : takeText(state, line.text);
  return line.isCut ? [...pieces, ...takeCut(state)] : pieces;
}

/** Completes the open piece. */
export function flush(state: SplitterState): MarkdownPiece[] {
  const { chunk } = state;
  state.chunk = null;
  if (chunk === null || chunk.lines.length === chunk.repeated) return [];
  const { first, others, goesOn } = chunk;
  return [...gapBefore(state), { kind: 'text', text: chunk.lines.join('\n'), first, others, goesOn }];
}

function gapBefore(state: SplitterState): MarkdownPiece[] {
  const isSeen = state.hasGap && !state.isFirst;
  state.hasGap = false;
  state.isFirst = false;
  return isSeen ? [{ kind: 'gap' }] : [];
}

function takeBlank(state: SplitterState): MarkdownPiece[] {
  const pieces = flush(state);
  state.hasGap = true;
  return pieces;
}

/** The rest of a line that was too long belongs to the same paragraph, whatever it looks like. */
function takeCut(state: SplitterState): MarkdownPiece[] {
  const { chunk } = state;
  const pieces = flush(state);
  if (chunk === null) return pieces;
  state.chunk = { ...chunk, lines: [], length: 0, repeated: 0, first: chunk.others, goesOn: true };
  return pieces;
}

function takeRest(state: SplitterState, line: PhysicalLine): MarkdownPiece[] {
  state.chunk?.lines.push(line.text);
  return line.isCut ? takeCut(state) : flush(state);
}

function takeText(state: SplitterState, line: string): MarkdownPiece[] {
  const indent = indentOf(line);
  const kind = kindOf(line.trimStart());
  if (isLazy(state, kind)) return addLine(state, line.trimStart());
  while (indent < (state.levels.at(-1)?.contentIndent ?? 0)) state.levels.pop();
  const base = state.levels.at(-1)?.contentIndent ?? 0;
  const text = line.slice(base);
  if (indent - base >= CODE_INDENT) {
    return state.chunk === null ? [...open(state, 'plain'), ...addLine(state, text)] : addLine(state, text.trimStart());
  }
  return takeKind(state, { kind, text: text.trimStart(), indent });
}

/** Whether a line goes on with the paragraph above though it is not indented like it. */
function isLazy(state: SplitterState, kind: LineKind): boolean {
  return state.chunk?.kind === 'plain' && kind.kind === 'text';
}

function takeKind(
  state: SplitterState,
  { kind, text, indent }: { kind: LineKind; text: string; indent: number },
): MarkdownPiece[] {
  switch (kind.kind) {
    case 'fence':
      return openFence(state, kind, indent);
    case 'item':
      // Inside a paragraph only a list that starts with 1 begins: other numbers are a part of the text.
      return state.chunk?.others === '' && /^(?!1[.)])\d/.test(kind.marker)
        ? addLine(state, text)
        : openItem(state, kind, indent);
    case 'alone':
      return [...open(state, 'plain'), ...addLine(state, text), ...flush(state)];
    case 'underline':
      if (state.chunk?.kind === 'plain') return [...addLine(state, text), ...flush(state)];
      return [...open(state, 'plain'), ...addLine(state, text), ...flush(state)];
    case 'quote':
      return state.chunk?.kind === 'quote' ? addLine(state, text) : [...open(state, 'quote'), ...addLine(state, text)];
    case 'text':
      return state.chunk === null || state.chunk.kind === 'quote'
        ? [...open(state, 'plain'), ...addLine(state, text)]
        : addLine(state, text);
  }
}

function open(state: SplitterState, kind: 'plain' | 'quote'): MarkdownPiece[] {
  const pieces = flush(state);
  const indent = state.levels.at(-1)?.indent ?? '';
  if (state.levels.length === 0) state.counters = [];
  state.chunk = { kind, lines: [], length: 0, repeated: 0, first: indent, others: indent, goesOn: false };
  return pieces;
}

function addLine(state: SplitterState, text: string): MarkdownPiece[] {
  const { chunk } = state;
  if (chunk === null) return [];
  chunk.lines.push(text);
  chunk.length += text.length + 1;
  return chunk.length > CHUNK_LENGTH_MAX ? takeLong(state, chunk) : [];
}

/** Completes a piece that is too long to wait for. The rest of a table repeats its heading, or it would be no table. */
function takeLong(state: SplitterState, chunk: Chunk): MarkdownPiece[] {
  const pieces = flush(state);
  const head = chunk.lines.slice(0, TABLE_HEAD_LINES);
  const length = head.join('\n').length + 1;
  if (chunk.kind === 'plain' && length <= TABLE_HEAD_LENGTH_MAX && TABLE_RULE.test(head[1] ?? '')) {
    state.chunk = { ...chunk, lines: head, length, repeated: TABLE_HEAD_LINES, first: chunk.others };
  }
  return pieces;
}

function openItem(state: SplitterState, item: Extract<LineKind, { kind: 'item' }>, indent: number): MarkdownPiece[] {
  const pieces = flush(state);
  if (state.levels.length >= LEVELS_MAX) state.levels.pop();
  const outer = state.levels.at(-1)?.indent ?? '';
  const marker = item.ordered ? numberOf(state, item.marker) : bulletOf(state);
  const others = outer + ' '.repeat(marker.length + 1);
  state.levels.push({ contentIndent: indent + item.contentIndent, indent: others });
  const nested = kindOf(item.content);
  if (nested.kind === 'fence') {
    // The marker stands alone above the code.
    pieces.push(...gapBefore(state), { kind: 'text', text: '', first: `${outer}${marker}`, others, goesOn: false });
    return [...pieces, ...openFence(state, nested, indent + item.contentIndent)];
  }
  const kind = nested.kind === 'quote' ? 'quote' : 'plain';
  state.chunk = { kind, lines: [], length: 0, repeated: 0, first: `${outer}${marker} `, others, goesOn: false };
  return [...pieces, ...addLine(state, item.content)];
}

/** Numbers count on from the first one of their list, as markdown has it. */
function numberOf(state: SplitterState, marker: string): string {
  const depth = state.levels.length;
  const mark = marker.slice(-1);
  const counter = state.counters[depth];
  const number = counter?.mark === mark ? counter.next : Number(marker.slice(0, -1));
  state.counters.length = Math.min(state.counters.length, depth);
  state.counters[depth] = { mark, next: number + 1 };
  return `${number}${mark}`;
}

function bulletOf(state: SplitterState): string {
  state.counters.length = Math.min(state.counters.length, state.levels.length);
  return '-';
}

function openFence(state: SplitterState, fence: Extract<LineKind, { kind: 'fence' }>, strip: number): MarkdownPiece[] {
  const pieces = [...flush(state), ...gapBefore(state)];
  const indent = state.levels.at(-1)?.indent ?? '';
  state.fence = { mark: fence.mark, size: fence.size, strip, indent };
  return [...pieces, { kind: 'fence_opened', marks: fence.mark.repeat(fence.size), language: fence.language, indent }];
}

function takeCode(state: SplitterState, fence: Fence, line: string): MarkdownPiece[] {
  const text = line.slice(Math.min(indentOf(line), fence.strip));
  if (!endsFence(text, fence)) return [{ kind: 'code', text, indent: fence.indent }];
  state.fence = null;
  return [{ kind: 'fence_closed', marks: fence.mark.repeat(fence.size), indent: fence.indent }];
}
