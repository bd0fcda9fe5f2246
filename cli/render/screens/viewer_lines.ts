import type { Look } from '../look/look.js';
import { streamingMarkdown } from '../markdown/markdown_stream.js';
import { codeInk } from '../node/code_highlight.js';
import { withoutInk } from '../text/colour_runs.js';
import { type TextRow, wrapHard, wrapWords } from '../text/wrap_words.js';

/** A line of the viewer before it is cut into rows: prose between words, anything else where a row is full. */
export interface BlockLine {
  text: string;
  isProse: boolean;
}

/** A text that comes in pieces, as lines. */
export interface LineStream {
  /** Takes what was added; returns the lines that are finished by it. */
  push(added: string): BlockLine[];
  /** The unfinished rest as it looks now. */
  live(): BlockLine[];
  end(): BlockLine[];
}

// No cleaned text has this sign in it.
const CODE_SIGN = '\x01';
const TABLE_RULE = /^ *-+(?: {2}-+)+$/;
/** Highlighting code is slow: after so many lines of one answer, code has one colour. */
const INKED_LINES_MAX = 1_000;
const TAB = '    ';

/** An answer in lines of as many columns as they take; only its tables are drawn for the width. */
export function answerLines(look: Look): LineStream {
  let width = look.width;
  let inkedLines = 0;
  const stream = streamingMarkdown({
    look: () => ({ ...look, width }),
    wrap: 'caller',
    ink(language) {
      const ink = codeInk(language, look.style);
      const inked = (line: string, by: 'take' | 'peek'): string => {
        const isHighlighted = ink !== null && inkedLines < INKED_LINES_MAX;
        return CODE_SIGN + (isHighlighted ? ink[by](line) : look.style.tool(line));
      };
      return {
        take(line) {
          inkedLines += 1;
          return inked(line, 'take');
        },
        peek: (line) => inked(line, 'peek'),
      };
    },
  });
  const liveIn = (columns: number): string[] => {
    width = columns;
    const rows = stream.live();
    width = look.width;
    return rows;
  };
  return {
    push: (added) => blockLines(stream.push(added)),
    live() {
      const lines = liveIn(Number.POSITIVE_INFINITY);
      const isWideTable = lines.some((line) => {
        const plain = withoutInk(line);
        return plain.length >= look.width && TABLE_RULE.test(plain);
      });
      return blockLines(isWideTable ? liveIn(look.width) : lines);
    },
    end: () => blockLines(stream.end()),
  };
}

function blockLines(drawn: readonly string[]): BlockLine[] {
  return drawn
    .flatMap((line) => line.split('\n'))
    .map((text) =>
      text.includes(CODE_SIGN)
        ? { text: text.replace(CODE_SIGN, '').trimEnd(), isProse: false }
        : { text, isProse: true },
    );
}

/** Lines as they were written, each behind blanks. */
export function plainLines(look: Look, draw: (line: string) => string): LineStream {
  let rest = '';
  const drawn = (lines: readonly string[]): BlockLine[] =>
    lines.map((line) => ({ text: draw(line.replaceAll('\t', TAB)), isProse: true }));
  return {
    push(added) {
      const lines = (rest + added).split('\n');
      rest = lines.pop() ?? '';
      return drawn(lines);
    },
    live: () => (rest === '' ? [] : drawn([rest.slice(-look.width * LIVE_ROWS_MAX)])),
    end: () => (rest === '' ? [] : drawn([rest])),
  };
}

// Of a line without end only what was added last is drawn at every piece of it.
const LIVE_ROWS_MAX = 100;

/** The rows of lines; each but the last goes on with a line end. */
export function rowsOfLines(lines: readonly BlockLine[], look: Look): TextRow[] {
  const columns = Math.max(1, look.width - 1);
  const rows: TextRow[] = [];
  for (const { text, isProse } of lines) {
    const cut = isProse ? wrapWords(text, columns, look.ruler) : wrapHard(text, columns, look.ruler);
    for (const [index, row] of cut.entries()) {
      rows.push(index === cut.length - 1 ? { ...row, joint: `${row.joint}\n` } : row);
    }
  }
  return rows;
}
