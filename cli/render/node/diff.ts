import { diffWordsWithSpace, structuredPatch } from 'diff';
import type { Look } from '../look/look.js';
import { clean } from '../text/clean.js';
import { count } from '../text/ids_and_counts.js';

/** An edit: one text in place of another. */
export interface TextChange {
  oldText: string;
  newText: string;
}

type Drawn = Pick<Look, 'style' | 'glyphs'>;

const CONTEXT_LINES = 2;
/** The lines of an excerpt, and the lines of each run of removed or added ones in it. */
const LINES_MAX = 40;
const RUN_LINES_MAX = 15;
const WRITTEN_LINES_MAX = 20;
const LINE_LENGTH_MAX = 400;
// Comparing takes the product of length and difference; texts that differ more are shown as removed and added.
const EDIT_LENGTH_MAX = 1_000;
const TEXT_LENGTH_MAX = 400_000;
// Differing words are marked where a few lines are replaced by as many.
const PAIRS_MAX = 5;
const TAB = '    ';

type Line = { sign: '-' | '+' | ' '; text: string } | { sign: '~'; text: ''; leftOut: number };

/** How much of a change is shown. */
export type Extent = 'excerpt' | 'whole';

/** The removed and added lines of an edit, with a few lines around. */
export function renderDiff({ oldText, newText }: TextChange, look: Drawn, extent: Extent): string[] {
  const lines = changedLines(printable(oldText), printable(newText));
  return drawLines(extent === 'whole' ? lines : excerptOf(lines, look), look);
}

/** The lines of a written file, all as added. */
export function renderWritten(text: string, look: Drawn, extent: Extent): string[] {
  const lines = textLines(printable(text)).map((line): Line => ({ sign: '+', text: line }));
  return drawLines(
    extent === 'whole' ? lines : cutOff(lines, WRITTEN_LINES_MAX).map((line) => shortened(line, look)),
    look,
  );
}

/** The first lines of each run: removed lines alone would say nothing of the added ones. */
function excerptOf(lines: readonly Line[], look: Drawn): Line[] {
  const excerpt: Line[] = [];
  for (let start = 0; start < lines.length; ) {
    let end = start + 1;
    while (lines[end]?.sign === lines[start]?.sign) end += 1;
    excerpt.push(...cutOff(lines.slice(start, end), lines.length > LINES_MAX ? RUN_LINES_MAX : LINES_MAX));
    start = end;
  }
  return cutOff(excerpt, LINES_MAX).map((line) => shortened(line, look));
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
  for (let index = 0; index < lines.length; ) {
    const pairs = pairsAt(lines, index);
    const rows = pairs === 0 ? [drawLine(lines[index], look)] : drawPairs(lines.slice(index, index + 2 * pairs), look);
    drawn.push(...rows);
    index += pairs === 0 ? 1 : 2 * pairs;
  }
  return drawn;
}

function printable(text: string): string {
  return clean(text).replaceAll('\t', TAB);
}

function textLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function changedLines(before: string, after: string): Line[] {
  const isSmall = before.length + after.length <= TEXT_LENGTH_MAX;
  const options = { context: CONTEXT_LINES, maxEditLength: EDIT_LENGTH_MAX };
  const patch = isSmall ? structuredPatch('', '', withLineEnd(before), withLineEnd(after), '', '', options) : undefined;
  if (patch === undefined) {
    return [
      ...textLines(before).map((text): Line => ({ sign: '-', text })),
      ...textLines(after).map((text): Line => ({ sign: '+', text })),
    ];
  }
  return patch.hunks.flatMap((hunk, number) => [
    ...(number === 0 ? [] : [{ sign: '~', text: '', leftOut: 0 } as const]),
    ...hunk.lines.flatMap(unchangedLine),
  ]);
}

/** A last line that only lacks its line end counts as the same line. */
function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function unchangedLine(line: string): Line[] {
  const sign = line.slice(0, 1);
  const text = line.slice(1);
  if (sign === '-' || sign === '+' || sign === ' ') return [{ sign, text }];
  return [];
}

/** How many removed lines are followed by as many added ones, from an index on. */
function pairsAt(lines: readonly Line[], index: number): number {
  const run = (from: number, sign: '-' | '+'): number => {
    let end = from;
    while (lines[end]?.sign === sign) end += 1;
    return end - from;
  };
  const gone = lines[index - 1]?.sign === '-' ? 0 : run(index, '-');
  const isPaired = gone > 0 && gone <= PAIRS_MAX && run(index + gone, '+') === gone;
  return isPaired && lines.slice(index, index + 2 * gone).every(({ text }) => text.length <= LINE_LENGTH_MAX)
    ? gone
    : 0;
}

function drawPairs(lines: readonly Line[], look: Drawn): string[] {
  const half = lines.length / 2;
  const words = lines.slice(0, half).map((line, pair) => diffWordsWithSpace(line.text, lines[half + pair]?.text ?? ''));
  const draw = (sign: '-' | '+', ink: (text: string) => string): string[] =>
    words.map((parts) => {
      const own = parts.filter((part) => (sign === '-' ? !part.added : !part.removed));
      // When nearly everything differs, marked words only disturb.
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
