import { isSimple, type Ruler } from '../look/ruler.js';
import { measuredPieces } from './cautious_width.js';
import { INK_END, type Ink, inkAfter, inkParts, NO_INK, withoutInk } from './colour_runs.js';

/** A row of a text that was cut into rows, and how the text is had back from them. */
export interface TextRow {
  /** As it is drawn; may hold colours. */
  text: string;
  /** Blanks at its beginning that are not a part of the text. */
  indent: number;
  /** What of the text stands between this row and the next one, and is not drawn. */
  joint: string;
}

// The sign of a list item, of a quote, of what was said: what follows in other rows stands below what follows it.
const HANGING = /^ *(?:(?:[-*+>•]|\d{1,9}[.)]) +)*/;
// Characters of East Asia, between which a line may end anywhere.
const WIDE =
  /[\u2e80-\u2fdf\u3001-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\uff01-\uff9f\u{1b000}-\u{1b16f}\u{20000}-\u{3fffd}]/u;
// No row begins with what closes, and none ends with what opens.
const CLOSERS = /^[、。，．・：；？！）」』】〉》〕］｝ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ,.:;?!)\]}"']/u;
const OPENERS = /[（「『【〈《〔［｛([{]$/u;

/**
 * Cuts a line into rows between its words. What is longer than a row is cut where the row ends; other rows are indented like
 * the text of the first one. Without the indents and with the joints the rows are the line.
 */
export function wrapWords(line: string, columns: number, ruler: Ruler): TextRow[] {
  const plain = withoutInk(line);
  if (plain.length <= columns && isSimple(plain)) return [{ text: line, indent: 0, joint: '' }];
  const paper = createPaper(columns, hangOf(plain, columns));
  for (const { text, isInk } of inkParts(line)) {
    if (isInk) paper.color(text);
    else if (isSimple(text)) writeSimple(text, paper);
    else for (const { piece, columns: wide } of measuredPieces(text, ruler)) paper.write(piece, wide);
  }
  return paper.end();
}

const RUNS = /( +)|[^ ]+/g;

/** Whole words at once: long texts are made of them. */
function writeSimple(text: string, paper: Paper): void {
  for (const [run, blanks] of text.matchAll(RUNS)) {
    if (blanks === undefined) paper.writeRun(run);
    else paper.blank(blanks);
  }
}

/** Cuts a line into rows where each is full, as it is right for code. */
export function wrapHard(line: string, columns: number, ruler: Ruler): TextRow[] {
  const sheet = createSheet(columns, 0);
  for (const { text, isInk } of inkParts(line)) {
    if (isInk) sheet.put({ ...noWord(), text, ink: [text] }, '');
    else if (isSimple(text)) sheet.fill(text);
    else
      for (const { piece, columns: wide } of measuredPieces(text, ruler))
        sheet.put({ text: piece, columns: wide, last: piece, ink: NO_INK }, '');
  }
  return sheet.end('');
}

/** The text of rows, as it was before it was cut into them. */
export function textOfRows(rows: readonly TextRow[]): string {
  return rows.map(({ text, indent, joint }) => withoutInk(text).slice(indent) + joint).join('');
}

/** In a narrow window there is no room for it. */
function hangOf(plain: string, columns: number): number {
  const hang = HANGING.exec(plain)?.[0].length ?? 0;
  return hang * 2 >= columns ? 0 : hang;
}

interface Paper {
  color(sequence: string): void;
  blank(blanks: string): void;
  /** One piece that is never cut apart. */
  write(piece: string, wide: number): void;
  /** Signs of one column each without a blank. */
  writeRun(run: string): void;
  end(): TextRow[];
}

interface Word {
  text: string;
  columns: number;
  /** The piece that was added last. */
  last: string;
  ink: Ink;
}

const noWord = (): Word => ({ text: '', columns: 0, last: '', ink: NO_INK });

function createPaper(columns: number, hang: number): Paper {
  const sheet = createSheet(columns, hang);
  const room = Math.max(1, columns - hang);
  // Blanks, and the word behind them, which are not put on a row yet.
  let gap = '';
  let word = noWord();

  const put = (): void => {
    sheet.put(word, gap);
    if (word.columns > 0) gap = '';
    word = noWord();
  };
  const add = (text: string, wide: number): void => {
    word.text += text;
    word.columns += wide;
    word.last = text;
  };
  /** Longer than a row: what fills one is put on it, and the rest begins another. */
  const breakHard = (): void => {
    put();
    sheet.newRow('');
  };
  const breakBefore = (piece: string): void => {
    if (word.columns > 0 && mayBreak(word.last, piece)) put();
  };

  return {
    color(sequence) {
      word.text += sequence;
      word.ink = [...word.ink, sequence];
    },
    blank(blanks) {
      put();
      gap += blanks;
    },
    write(piece, wide) {
      if (piece === ' ') {
        put();
        gap += ' ';
        return;
      }
      breakBefore(piece);
      if (word.columns > 0 && word.columns + wide > room) breakHard();
      add(piece, wide);
    },
    writeRun(run) {
      breakBefore(run);
      for (let start = 0; start < run.length; ) {
        if (word.columns >= room) breakHard();
        const part = run.slice(start, start + room - word.columns);
        add(part, part.length);
        start += part.length;
      }
    },
    end() {
      put();
      return sheet.end(gap);
    },
  };
}

interface Sheet {
  /** Puts a word behind a gap, or on a row of its own where it does not fit. */
  put(word: Word, gap: string): void;
  /** Puts signs of one column each where there is room for them, in as many rows as they need. */
  fill(text: string): void;
  newRow(joint: string): void;
  end(joint: string): TextRow[];
}

function createSheet(columns: number, hang: number): Sheet {
  const rows: TextRow[] = [];
  let row = '';
  let used = 0;
  let ink: Ink = NO_INK;
  const newRow = (joint: string): void => {
    rows.push({ text: ink.length === 0 ? row : row + INK_END, indent: rows.length === 0 ? 0 : hang, joint });
    row = ' '.repeat(hang) + ink.join('');
    used = hang;
  };
  return {
    newRow,
    fill(text) {
      for (let start = 0; start < text.length; ) {
        if (used >= columns) newRow('');
        const part = text.slice(start, start + Math.max(1, columns - used));
        row += part;
        used += part.length;
        start += part.length;
      }
    },
    put(word, gap) {
      // Behind nothing but the indent there is no better place for it.
      const isFresh = used + gap.length <= hang;
      const isFitting = isFresh || used + gap.length + word.columns <= columns;
      if (word.columns > 0 && !isFitting) newRow(gap);
      else if (word.columns > 0) {
        row += gap;
        used += gap.length;
      }
      row += word.text;
      used += word.columns;
      ink = word.ink.reduce(inkAfter, ink);
    },
    end: (joint) => [...rows, { text: row, indent: rows.length === 0 ? 0 : hang, joint }],
  };
}

function mayBreak(before: string, after: string): boolean {
  return (WIDE.test(before) || WIDE.test(after)) && !CLOSERS.test(after) && !OPENERS.test(before);
}
