import { diffWordsWithSpace, structuredPatch } from 'diff';
import type { Look } from '../look/look.js';
import { clean } from '../text/clean.js';
import { count } from '../text/ids_and_counts.js';

/** One text in place of another. */
export interface TextChange {
  oldText: string;
  newText: string;
}

type Drawn = Pick<Look, 'style' | 'glyphs'>;

const CONTEXT_LINES = 2;
/** Of a change that is not shown whole so many lines are, and of many that go or come one after the other so many. */
const LINES_MAX = 40;
const RUN_LINES_MAX = 15;
const WRITTEN_LINES_MAX = 20;
const LINE_LENGTH_MAX = 400;
// Comparing takes the product of length and difference; what differs more is shown as gone and come.
const EDIT_LENGTH_MAX = 1_000;
const TEXT_LENGTH_MAX = 400_000;
// Words are told apart where a few lines stand against as many.
const PAIRS_MAX = 5;
const TAB = '    ';

type Line = { sign: '-' | '+' | ' '; text: string } | { sign: '~'; text: ''; leftOut: number };

/** How much of a change is shown. */
export type Extent = 'excerpt' | 'whole';

/** What an edit took away and what it put there, with a few lines around. */
export function renderDiff({ oldText, newText }: TextChange, look: Drawn, extent: Extent): string[] {
  const lines = changedLines(shown(oldText), shown(newText));
  return drawLines(extent === 'whole' ? lines : excerpted(lines, look), look);
}

/** The lines of a file that is written. */
export function renderWritten(text: string, look: Drawn, extent: Extent): string[] {
  const lines = linesOf(shown(text)).map((line): Line => ({ sign: '+', text: line }));
  return drawLines(
    extent === 'whole' ? lines : cutOff(lines, WRITTEN_LINES_MAX).map((line) => shortened(line, look)),
    look,
  );
}

/** Of many lines that go, and of as many that come, the first are shown: the former alone would say nothing of the latter. */
function excerpted(lines: readonly Line[], look: Drawn): Line[] {
  const kept: Line[] = [];
  for (let start = 0; start < lines.length; ) {
    let end = start + 1;
    while (lines[end]?.sign === lines[start]?.sign) end += 1;
    kept.push(...cutOff(lines.slice(start, end), lines.length > LINES_MAX ? RUN_LINES_MAX : LINES_MAX));
    start = end;
  }
  return cutOff(kept, LINES_MAX).map((line) => shortened(line, look));
}

function cutOff(lines: readonly Line[], linesMax: number): Line[] {
  const rest = lines.slice(linesMax);
  if (rest.length === 0) return [...lines];
  const leftOut = rest.reduce((sum, line) => sum + (line.sign === '~' ? Math.max(1, line.leftOut) : 1), 0);
  return [...lines.slice(0, linesMax), { sign: '~', text: '', leftOut }];
}

function shortened(line: Line, { glyphs }: Drawn): Line {
  if (line.sign === '~' || line.text.length <= LINE_LENGTH_MAX) return line;
  return { ...line, text: line.text.slice(0, LINE_LENGTH_MAX).toWellFormed() + glyphs.ellipsis };
}

function drawLines(lines: readonly Line[], look: Drawn): string[] {
  const drawn: string[] = [];
  for (let place = 0; place < lines.length; ) {
    const pairs = pairsAt(lines, place);
    const rows = pairs === 0 ? [drawLine(lines[place], look)] : drawPairs(lines.slice(place, place + 2 * pairs), look);
    drawn.push(...rows);
    place += pairs === 0 ? 1 : 2 * pairs;
  }
  return drawn;
}

function shown(text: string): string {
  return clean(text).replaceAll('\t', TAB);
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function changedLines(before: string, after: string): Line[] {
  const isSmall = before.length + after.length <= TEXT_LENGTH_MAX;
  const options = { context: CONTEXT_LINES, maxEditLength: EDIT_LENGTH_MAX };
  const patch = isSmall ? structuredPatch('', '', ended(before), ended(after), '', '', options) : undefined;
  if (patch === undefined) {
    return [
      ...linesOf(before).map((text): Line => ({ sign: '-', text })),
      ...linesOf(after).map((text): Line => ({ sign: '+', text })),
    ];
  }
  return patch.hunks.flatMap((hunk, number) => [
    ...(number === 0 ? [] : [{ sign: '~', text: '', leftOut: 0 } as const]),
    ...hunk.lines.flatMap(lineOf),
  ]);
}

/** A last line that only lacks its end is the same line. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function lineOf(line: string): Line[] {
  const sign = line.slice(0, 1);
  const text = line.slice(1);
  if (sign === '-' || sign === '+' || sign === ' ') return [{ sign, text }];
  return [];
}

/** How many lines that go are followed by as many that come, from here on. */
function pairsAt(lines: readonly Line[], place: number): number {
  const run = (from: number, sign: '-' | '+'): number => {
    let end = from;
    while (lines[end]?.sign === sign) end += 1;
    return end - from;
  };
  const gone = lines[place - 1]?.sign === '-' ? 0 : run(place, '-');
  const isPaired = gone > 0 && gone <= PAIRS_MAX && run(place + gone, '+') === gone;
  return isPaired && lines.slice(place, place + 2 * gone).every(({ text }) => text.length <= LINE_LENGTH_MAX)
    ? gone
    : 0;
}

function drawPairs(lines: readonly Line[], look: Drawn): string[] {
  const half = lines.length / 2;
  const words = lines.slice(0, half).map((line, pair) => diffWordsWithSpace(line.text, lines[half + pair]?.text ?? ''));
  const draw = (sign: '-' | '+', ink: (text: string) => string): string[] =>
    words.map((parts) => {
      const own = parts.filter((part) => (sign === '-' ? !part.added : !part.removed));
      // When nearly everything differs, marks on the words only disturb.
      const marked = own.some((part) => !part.added && !part.removed && part.value.trim() !== '');
      return ink(`${sign} `) + own.map((part) => inkPart(part, marked, { ink, look })).join('');
    });
  return [...draw('-', look.style.failure), ...draw('+', look.style.good)];
}

function inkPart(
  part: { value: string; added: boolean; removed: boolean },
  marked: boolean,
  { ink, look }: { ink: (text: string) => string; look: Drawn },
): string {
  return marked && (part.added || part.removed) ? ink(look.style.match(part.value)) : ink(part.value);
}

function drawLine(line: Line | undefined, { style, glyphs }: Drawn): string {
  if (line === undefined || line.sign === '~') {
    const leftOut = line?.leftOut ?? 0;
    return style.quiet(leftOut === 0 ? glyphs.ellipsis : `${glyphs.ellipsis} ${count(leftOut, 'more line')}`);
  }
  const drawn = `${line.sign} ${line.text}`.trimEnd();
  if (line.sign === ' ') return drawn;
  return line.sign === '-' ? style.failure(drawn) : style.good(drawn);
}
