import type { Look } from '../look/look.js';
import { type FoldedCall, renderFoldedCall, renderFoldedThinking, renderWholeCall } from '../node/tool_call.js';
import { clean, cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { count, formatBytes } from '../text/ids_and_counts.js';
import type { TextRow } from '../text/wrap_words.js';
import { answerLines, type BlockLine, rowsOfLines } from './viewer_lines.js';

/** A block in the viewer, which folds and unfolds as a whole. */
export type ShownBlock = ShownText | { kind: 'call'; call: FoldedCall };

interface ShownText {
  kind: 'message' | 'answer' | 'summary' | 'thinking';
  text: string;
}

/** Of a longer text only the head and the tail are drawn: drawing all of it would delay the response to a key. */
const HEAD_LENGTH_MAX = 192 * 1024;
const TAIL_LENGTH_MAX = 64 * 1024;
// As many rows as such a text has with only empty lines; only a tool's output may be longer.
const ROWS_MAX = 300_000;
const TAB = '    ';

/** The rows of a block; of a folded one it is one row. */
export function renderBlock(block: ShownBlock, isFolded: boolean, look: Look): TextRow[] {
  if (isFolded) return [{ text: foldedRow(block, look), indent: 0, joint: '\n' }];
  const rows = rowsOfLines(blockLines(block, look), look);
  if (rows.length <= ROWS_MAX) return rows;
  const text = look.style.quiet(cut('(more is not shown here)', look.width - 1, look));
  return [...rows.slice(0, ROWS_MAX), { text, indent: 0, joint: '\n' }];
}

/** The text of a block for the clipboard. */
export function blockText(block: ShownBlock): string {
  if (block.kind !== 'call') return block.text;
  const { tool, input, output } = block.call;
  const inputText = typeof input === 'string' ? input : JSON.stringify(input);
  return `${tool} ${inputText}\n${output}`;
}

/** The searchable text of a block: a block without a match in it need not be drawn for the search. */
export function searchedText(block: ShownBlock, look: Look): string {
  if (block.kind === 'call' || block.kind === 'thinking') return `${foldedRow(block, look)}\n${blockText(block)}`;
  const { head, tail } = partsOf(block.text);
  return head + tail;
}

function blockLines(block: ShownBlock, look: Look): BlockLine[] {
  if (block.kind === 'call') return renderWholeCall(block.call, look).map((text) => ({ text, isProse: false }));
  const { head, gap, tail } = partsOf(block.text);
  const lines = textLines({ kind: block.kind, text: head }, look);
  if (gap === null) return lines;
  const rest = tail.split('\n').map((line) => prose(clean(line).replaceAll('\t', TAB)));
  return [...lines, prose(look.style.quiet(gap)), ...rest];
}

interface CutText {
  head: string;
  /** The note for what was left out between them; null when nothing was. */
  gap: string | null;
  tail: string;
}

function partsOf(text: string): CutText {
  if (text.length <= HEAD_LENGTH_MAX + TAIL_LENGTH_MAX) return { head: text, gap: null, tail: '' };
  const headEnd = text.lastIndexOf('\n', HEAD_LENGTH_MAX);
  const tailStart = text.indexOf('\n', text.length - TAIL_LENGTH_MAX) + 1;
  // A line that is longer than that is cut inside.
  const head = text.slice(0, headEnd > HEAD_LENGTH_MAX / 2 ? headEnd : HEAD_LENGTH_MAX);
  const isNear = tailStart > 0 && tailStart < text.length - TAIL_LENGTH_MAX / 2;
  const tail = text.slice(isNear ? tailStart : text.length - TAIL_LENGTH_MAX);
  const size = formatBytes(text.length - head.length - tail.length);
  return {
    head: head.toWellFormed(),
    gap: `(${size} are not shown here: /export has all of it)`,
    tail: tail.toWellFormed(),
  };
}

function prose(text: string): BlockLine {
  return { text, isProse: true };
}

function textLines({ kind, text }: ShownText, look: Look): BlockLine[] {
  switch (kind) {
    case 'message':
      return `> ${clean(text).trimEnd()}`
        .replaceAll('\t', TAB)
        .split('\n')
        .map((line, index) => prose(look.style.user(index === 0 ? line : `  ${line}`.trimEnd())));
    case 'answer': {
      const stream = answerLines(look);
      return [...stream.push(text), ...stream.end()];
    }
    case 'summary':
      return `Summary: ${clean(text).trim()}`.replaceAll('\t', TAB).split('\n').map(prose);
    case 'thinking': {
      const lines = clean(text).trim().replaceAll('\t', TAB).split('\n');
      return [prose(renderFoldedThinking(text, look)), ...lines.map((line) => prose(thoughtLine(line, look)))];
    }
  }
}

/** A line of thinking, below the row that counts them. */
export function thoughtLine(line: string, { style }: Look): string {
  return style.quiet(`  ${line}`.trimEnd());
}

function foldedRow(block: ShownBlock, look: Look): string {
  if (block.kind === 'call') return renderFoldedCall(block.call, look);
  if (block.kind === 'thinking') return renderFoldedThinking(block.text, look);
  const lines = clean(block.text).trim().split('\n');
  const tail = lines.length > 1 ? ` -- ${count(lines.length, 'line')}` : '';
  const first = cleanLine(`${LABELS[block.kind]}${lines[0] ?? ''}`);
  const row = cut(first, Math.max(1, look.width - 1 - tail.length), look) + tail;
  return block.kind === 'message' ? look.style.user(row) : row;
}

const LABELS = { message: '> ', answer: '', summary: 'Summary: ' } as const;
