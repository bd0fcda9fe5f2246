import type { Look } from '../look/look.js';
import type { CodeInk } from '../node/code_highlight.js';
import { createCleaner } from '../text/clean.js';
import { wrapHard } from '../text/wrap_words.js';
import { renderBlocks } from './blocks.js';
import { renderInline } from './inline.js';
import { createLineCutter } from './physical_lines.js';
import { copyOf, flush, type MarkdownPiece, newState, type SplitterState, takeLine } from './splitter.js';

/** Markdown that is still being streamed, drawn as far as it has come. */
export interface MarkdownStream {
  /** Takes the next text; returns the lines that it finishes, which never change. */
  push(added: string): string[];
  /** The unfinished rest as it looks now, in rows of the width unless the caller wraps. */
  live(): string[];
  /** The lines that the end finishes. */
  end(): string[];
}

interface StreamParts {
  /** The look at this moment: the width may change from one piece to the next. */
  look: () => Pick<Look, 'width' | 'style' | 'ruler' | 'glyphs'>;
  /** Colours for the lines of code in a language; null for none. */
  ink: ((language: string) => CodeInk | null) | null;
  /** How lines of prose become rows; lines of code are always cut where a row is full. `caller`: nothing is wrapped here. */
  wrap: 'caller' | 'hard' | ((line: string, look: ReturnType<StreamParts['look']>) => string[]);
}

const HALF = /[\ud800-\udbff]$/;

export function streamingMarkdown({ look, ink, wrap }: StreamParts): MarkdownStream {
  const cleaner = createCleaner();
  const lines = createLineCutter();
  const state = newState();
  let code: CodeInk | null = null;
  // Half of a character, whose other half comes with the next piece.
  let half = '';

  const draw = (piece: MarkdownPiece): string[] => {
    if (piece.kind === 'fence_opened') code = ink?.(piece.language) ?? null;
    const drawn = rowsOf(piece, look(), piece.kind === 'code' && code !== null ? code.take(piece.text) : null);
    if (piece.kind === 'fence_closed') code = null;
    return drawn;
  };
  const rowsOf = (piece: MarkdownPiece, now: ReturnType<StreamParts['look']>, inked: string | null): string[] => {
    const drawn = drawPiece(piece, now, inked);
    return typeof wrap === 'string' || piece.kind !== 'text' ? drawn : drawn.flatMap((line) => wrap(line, now));
  };
  let cachedLive: { width: number; rows: string[] } | null = null;
  const liveRows = (now: ReturnType<StreamParts['look']>): string[] => {
    const pieces = unfinished(copyOf(state), lines.rest());
    const peeked = pieces.flatMap((piece) =>
      rowsOf(piece, now, piece.kind === 'code' && code !== null ? code.peek(piece.text) : null),
    );
    if (wrap === 'caller') return peeked;
    const rows = peeked.flatMap((line) => wrapHard(line, Math.max(1, now.width - 1), now.ruler));
    return rows.map(({ text }) => text);
  };
  const takeAll = (text: string): string[] =>
    lines
      .take(text)
      .flatMap((line) => takeLine(state, line))
      .flatMap(draw);

  return {
    push(added) {
      cachedLive = null;
      const text = half + added;
      half = HALF.exec(text)?.[0] ?? '';
      return takeAll(cleaner.take(text.slice(0, text.length - half.length).toWellFormed()));
    },
    live() {
      const now = look();
      // Called for every key that is pressed, though no text may have come.
      if (cachedLive?.width !== now.width) cachedLive = { width: now.width, rows: liveRows(now) };
      return cachedLive.rows;
    },
    end() {
      cachedLive = null;
      const rest = takeAll(cleaner.take(half.toWellFormed()) + cleaner.end());
      half = '';
      const unended = lines.rest();
      return [...rest, ...unfinished(state, unended).flatMap(draw)];
    },
  };
}

function unfinished(state: SplitterState, rest: string): MarkdownPiece[] {
  const last = rest === '' ? [] : takeLine(state, { text: rest, isCut: false });
  return [...last, ...flush(state)];
}

function drawPiece(piece: MarkdownPiece, look: ReturnType<StreamParts['look']>, inked: string | null): string[] {
  switch (piece.kind) {
    case 'gap':
      return [''];
    case 'fence_opened':
      return [piece.indent + look.style.quiet(piece.marks + piece.language)];
    case 'fence_closed':
      return [piece.indent + look.style.quiet(piece.marks)];
    case 'code':
      return [(piece.indent + (inked ?? look.style.tool(piece.text))).trimEnd()];
    case 'text': {
      const narrow = { ...look, width: Math.max(1, look.width - piece.others.length) };
      const lines = piece.goesOn ? renderInline(piece.text, look.style).split('\n') : renderBlocks(piece.text, narrow);
      if (lines.length === 0) return [piece.first.trimEnd()];
      return lines.map((line, row) => ((row === 0 ? piece.first : piece.others) + line).trimEnd());
    }
  }
}
