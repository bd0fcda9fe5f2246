import { diffWordsWithSpace, structuredPatch } from 'diff';
import { clean } from './clean.js';
import type { Look } from './look.js';
import { count } from './words.js';

/** One text in place of another. */
export interface TextChange {
  oldText: string;
  newText: string;
}

type Drawn = Pick<Look, 'style' | 'glyphs'>;

const CONTEXT_LINES = 2;
const LINES_MAX = 40;
const LINE_LENGTH_MAX = 400;
// Comparing takes the product of length and difference; what differs more is shown as gone and come.
const EDIT_LENGTH_MAX = 1_000;
const TEXT_LENGTH_MAX = 400_000;
// Words are told apart where a few lines stand against as many.
const PAIRS_MAX = 5;
const TAB = '    ';

type Line = { sign: '-' | '+' | ' ' | '~'; text: string };

/** What an edit took away and what it put there, with a few lines around. */
export function renderDiff({ oldText, newText }: TextChange, look: Drawn): string[] {
  const lines = changedLines(shown(oldText), shown(newText));
  const kept = lines.slice(0, LINES_MAX);
  const drawn: string[] = [];
  for (let place = 0; place < kept.length; ) {
    const pairs = pairsAt(kept, place);
    drawn.push(
      ...(pairs === 0 ? [drawLine(kept[place], look)] : drawPairs(kept.slice(place, place + 2 * pairs), look)),
    );
    place += pairs === 0 ? 1 : 2 * pairs;
  }
  return lines.length > kept.length
    ? [...drawn, look.style.quiet(`${look.glyphs.ellipsis} ${count(lines.length - kept.length, 'more line')}`)]
    : drawn;
}

/** The first lines of a file that is written. */
export function renderWritten(text: string, look: Drawn): string[] {
  const lines = linesOf(shown(text));
  const first = lines.slice(0, LINES_MAX / 2).map((line) => drawLine({ sign: '+', text: line }, look));
  const rest = lines.length - first.length;
  return rest > 0 ? [...first, look.style.quiet(`${look.glyphs.ellipsis} ${count(rest, 'more line')}`)] : first;
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
    ...(number === 0 ? [] : [{ sign: '~', text: '' } as const]),
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
  if (line === undefined || line.sign === '~') return style.quiet(glyphs.ellipsis);
  const text = line.text.length > LINE_LENGTH_MAX ? line.text.slice(0, LINE_LENGTH_MAX) + glyphs.ellipsis : line.text;
  const drawn = `${line.sign} ${text}`.trimEnd();
  if (line.sign === ' ') return drawn;
  return line.sign === '-' ? style.failure(drawn) : style.good(drawn);
}
