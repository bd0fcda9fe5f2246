import { clean, cleanLine } from './clean.js';
import { cut } from './cut.js';
import { codeInk } from './highlight.js';
import type { Look } from './look.js';
import { streamingMarkdown } from './markdown/streaming.js';
import { type FoldedCall, renderFoldedCall, renderFoldedThinking, renderWholeCall } from './tool_call.js';
import { count } from './words.js';
import { wrapRows } from './wrap.js';

/** One piece of a transcript, which folds and unfolds as a whole. */
export type ShownBlock = ShownText | { kind: 'call'; call: FoldedCall };

interface ShownText {
  kind: 'said' | 'answer' | 'summary' | 'thinking';
  text: string;
}

/** More of one block is not drawn: `/output` gives all of a call. */
const TEXT_LENGTH_MAX = 1_000_000;
const ROWS_MAX = 20_000;

/** The rows of a block; of a folded one it is one row. */
export function renderBlock(block: ShownBlock, isFolded: boolean, look: Look): string[] {
  if (isFolded) return [foldedRow(block, look)];
  const columns = Math.max(1, look.width - 1);
  const rows: string[] = [];
  for (const line of linesOf(block, look)) {
    rows.push(...wrapRows(line, columns, look.ruler));
    if (rows.length < ROWS_MAX) continue;
    return [...rows.slice(0, ROWS_MAX), look.style.quiet(cut('(more is not shown here)', columns, look))];
  }
  return rows;
}

/** What a search in a block looks through, and what is copied of it. */
export function blockText(block: ShownBlock): string {
  if (block.kind !== 'call') return block.text;
  const { tool, input, output } = block.call;
  const asked = typeof input === 'string' ? input : JSON.stringify(input);
  return `${tool} ${asked}\n${output}`;
}

function linesOf(block: ShownBlock, look: Look): string[] {
  return block.kind === 'call' ? renderWholeCall(block.call, look) : textLines(block, look);
}

function textLines({ kind, text: whole }: ShownText, look: Look): string[] {
  const text = whole.slice(0, TEXT_LENGTH_MAX);
  switch (kind) {
    case 'said':
      return `> ${clean(text).trimEnd()}`.split('\n').map((line) => look.style.user(line));
    case 'answer': {
      const stream = streamingMarkdown({ look: () => look, ink: (language) => codeInk(language, look.style) });
      return splitLines([...stream.push(text), ...stream.end()]);
    }
    case 'summary':
      return `Summary: ${clean(text).trim()}`.split('\n');
    case 'thinking':
      return [renderFoldedThinking(text, look), ...clean(text).trim().split('\n').map(quietly(look))];
  }
}

function quietly({ style }: Look): (line: string) => string {
  return (line) => style.quiet(`  ${line}`);
}

function splitLines(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split('\n'));
}

function foldedRow(block: ShownBlock, look: Look): string {
  if (block.kind === 'call') return renderFoldedCall(block.call, look);
  if (block.kind === 'thinking') return renderFoldedThinking(block.text, look);
  const lines = clean(block.text).trim().split('\n');
  const tail = lines.length > 1 ? ` -- ${count(lines.length, 'line')}` : '';
  const first = cleanLine(`${LABELS[block.kind]}${lines[0] ?? ''}`);
  const row = cut(first, Math.max(1, look.width - 1 - tail.length), look) + tail;
  return block.kind === 'said' ? look.style.user(row) : row;
}

const LABELS = { said: '> ', answer: '', summary: 'Summary: ' } as const;
