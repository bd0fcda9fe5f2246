import type { Look } from '../../render/look/look.js';
import { wrapHard, wrapWords } from '../../render/text/wrap_words.js';

/** The text of a turn in the panel; the beginning of a long one is dropped. */
export interface Scrollback {
  /** Output breaks at the full row, other text between words. */
  add(text: string, isPrinted?: boolean): void;
  /** Starts a new line unless at the start of one. */
  line(words: string): void;
  rows(look: Look): ScrollbackRows;
}

export interface ScrollbackRows {
  rows: readonly string[];
  /** The number of rows dropped from the beginning. */
  gone: number;
}

const LINES_MAX = 5_000;
const LINE_LENGTH_MAX = 20_000;
const TAB = '    ';

interface Line {
  text: string;
  isPrinted: boolean;
}

interface Drawn {
  look: Look;
  rows: string[];
  gone: number;
}

export function createScrollback(): Scrollback {
  let lines: Line[] = [];
  let last: Line = { text: '', isPrinted: false };
  let drawn: Drawn | null = null;
  const finish = (): void => {
    lines.push(last);
    if (drawn !== null) drawn.rows.push(...rowsOf(last, drawn.look));
    last = { text: '', isPrinted: false };
    if (lines.length < 2 * LINES_MAX) return;
    lines = lines.slice(-LINES_MAX);
    const before = drawn;
    if (before === null) return;
    const rows = lines.flatMap((line) => rowsOf(line, before.look));
    drawn = { look: before.look, rows, gone: before.gone + before.rows.length - rows.length };
  };
  const add = (text: string, isPrinted = false): void => {
    const [first = '', ...others] = text.split('\n');
    last = { text: (last.text + first).slice(0, LINE_LENGTH_MAX), isPrinted };
    for (const other of others) {
      finish();
      last = { text: other.slice(0, LINE_LENGTH_MAX), isPrinted };
    }
  };
  return {
    add,
    line: (words) => add(`${last.text === '' ? '' : '\n'}${words}\n`),
    rows(look) {
      if (drawn?.look.width !== look.width) {
        drawn = { look, rows: lines.flatMap((line) => rowsOf(line, look)), gone: 0 };
      }
      const open = last.text === '' ? [] : rowsOf(last, look);
      return { rows: [...drawn.rows, ...open], gone: drawn.gone };
    },
  };
}

function rowsOf({ text, isPrinted }: Line, look: Look): string[] {
  const cut = isPrinted ? wrapHard : wrapWords;
  return cut(text.replaceAll('\t', TAB), Math.max(1, look.width - 1), look.ruler).map((row) => row.text);
}
