import { endOf, HIDDEN_SIGN, showHidden } from './invisible.js';

// The most that an unended sequence holds back of a streamed text; longer ones are no sequences.
const STRING_LENGTH_MAX = 65_536;
const PARAMETERS_LENGTH_MAX = 256;

// Every sequence that a terminal acts on (ECMA-48): strings such as OSC and DCS, control sequences, and short escapes.
// None of the parts can match the start of another, so the search is linear in the text.
// A string is removed only when it is ended; an unended one loses its opening, and what follows stays readable.
const STRING = `(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]{0,${STRING_LENGTH_MAX}}`;
const CONTROL = `(?:\\x1b\\[|\\x9b)[0-?]{0,${PARAMETERS_LENGTH_MAX}}[ -/]{0,${PARAMETERS_LENGTH_MAX}}`;
const ESCAPE = `\\x1b[ -/]{0,${PARAMETERS_LENGTH_MAX}}`;
const SEQUENCES = new RegExp(
  [
    `${STRING}(?:\\x07|\\x1b\\\\|\\x9c)`,
    `${CONTROL}[@-~]`,
    `${ESCAPE}[0-Z\\\\^-~]`,
    '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]',
  ].join('|'),
  'g',
);
/** The start of a sequence at the end of a text, which what comes next may complete. */
const OPEN_SEQUENCE = new RegExp(`(?:${STRING}\\x1b?|${CONTROL}|${ESCAPE})$`);
const LONE_RETURN = /\r(?!\n)/;
const RETURNS_AT_END = /(?<!\r)\r+$/;
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const SUSPECT = new RegExp(`[^\\P{Cc}\\n\\t]|[\\u2028\\u2029]|${HIDDEN_SIGN.source}`, 'u');

/** Makes foreign text safe to print: no control sequence is left, only line ends and tabs, and what would be hidden is shown. */
export function clean(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return withLineEnds(showHidden(text.replace(SEQUENCES, '')));
}

/** The same on one line: every run of blanks becomes one. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim();
}

/** What a terminal acts on is left out, and hidden signs stay: for a text that is kept, and not printed as it is. */
export function withoutSequences(text: string): string {
  return SUSPECT.test(text) ? withLineEnds(text.replace(SEQUENCES, '')) : text;
}

/** The same of what a command printed, as a terminal would show it: what was written over is gone. */
export function cleanPrinted(text: string): string {
  if (!text.includes('\r')) return clean(text);
  const cleaner = createCleaner('return');
  return overwritten(cleaner.take(text) + cleaner.end()).replace(RETURNS_AT_END, '');
}

/** The visible text where carriage returns lead back to the start of their line. One at the end is kept: what follows decides. */
export function overwritten(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n');
  return lines.map((line, index) => lastWritten(line) + (index === lines.length - 1 ? returnOf(line) : '')).join('\n');
}

function lastWritten(line: string): string {
  const written = line.replace(RETURNS_AT_END, '');
  return written.slice(written.lastIndexOf('\r') + 1);
}

function returnOf(line: string): string {
  return line.endsWith('\r') ? '\r' : '';
}

/** Cleans a text that comes in pieces: the same as if it had come whole, however it is cut. */
export interface Cleaner {
  /** What of the text so far can be printed now. */
  take(piece: string): string;
  /** What was held back because more could have followed. */
  end(): string;
}

/** A cleaner holds back no more than one unended sequence and one carriage return, which ends a line or stays what it is. */
export function createCleaner(carriageReturn: CarriageReturn = 'line_end'): Cleaner {
  let held = NOTHING_HELD;
  return {
    take(piece) {
      const { text, held: rest } = cleanPiece(held, piece, carriageReturn);
      held = rest;
      return text;
    },
    end() {
      const text = cleanRest(held, carriageReturn);
      held = NOTHING_HELD;
      return text;
    },
  };
}

export type CarriageReturn = 'line_end' | 'return';

/** What was held back of the pieces so far: the start of a sequence, and a carriage return before it. */
export interface HeldBack {
  readonly unended: string;
  readonly unfinishedLine: string;
  /** The end of what was printed: it decides what becomes of a sign that follows. */
  readonly before: string;
}

export const NOTHING_HELD: HeldBack = { unended: '', unfinishedLine: '', before: '' };

/** Cleans the next piece of a text. */
export function cleanPiece(
  held: HeldBack,
  piece: string,
  carriageReturn: CarriageReturn,
): { text: string; held: HeldBack } {
  const text = held.unended + piece;
  if (held.unfinishedLine === '' && !SUSPECT.test(text))
    return { text, held: { ...NOTHING_HELD, before: endOf(held.before + text) } };
  const cut = text.search(OPEN_SEQUENCE);
  const unended = cut < 0 ? '' : text.slice(cut);
  const printable = text.slice(0, text.length - unended.length).replace(SEQUENCES, '');
  const whole = held.unfinishedLine + showHidden(printable, held.before);
  const before = endOf(held.before + printable);
  const end = whole.endsWith('\r') ? whole.length - 1 : whole.length;
  return {
    text: tidy(whole.slice(0, end), carriageReturn),
    held: { unended, unfinishedLine: whole.slice(end), before },
  };
}

/** What was held back because more could have followed. */
export function cleanRest({ unended, unfinishedLine, before }: HeldBack, carriageReturn: CarriageReturn): string {
  return tidy(unfinishedLine + showHidden(unended.replace(SEQUENCES, ''), before), carriageReturn);
}

function tidy(text: string, carriageReturn: CarriageReturn): string {
  return carriageReturn === 'return' ? text.split(LONE_RETURN).map(withLineEnds).join('\r') : withLineEnds(text);
}

/** One kind of line end. */
function withLineEnds(text: string): string {
  return text.replace(LINE_ENDS, '\n');
}
