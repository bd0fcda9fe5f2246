import { likeness } from '../path/similar_paths.js';

const LINES_COMPARED_MAX = 20_000;
/** Of lines that only resemble the text so many are looked at: that takes longer. */
const LINES_RESEMBLING_MAX = 5_000;
const LINE_UNITS_COMPARED = 200;
const PLACES_SHOWN = 3;
const LINES_SHOWN_MAX = 12;

/** A place of a file that is like a text that was looked for. */
export interface NearPlace {
  /** Counted from 1. */
  line: number;
  lines: string[];
  /** Whether only blanks tell it from what was looked for. */
  isSameButBlanks: boolean;
}

/** Finds the places most like a text, in time that grows with the lines of the file and no faster. */
export function nearestLines(text: string, wanted: string): NearPlace[] {
  const lines = text.split('\n', LINES_COMPARED_MAX);
  const keys = lines.map(keyOf);
  const looked = wanted.split('\n').slice(0, 200).map(keyOf);
  const starts = aligned(keys, looked);
  const found = starts.length > 0 ? starts : alike(keys, looked);
  const height = Math.min(LINES_SHOWN_MAX, looked.length);
  return found.slice(0, PLACES_SHOWN).map((at) => ({
    line: at + 1,
    lines: lines.slice(at, at + height).map((line) => line.replace(/\r$/, '').slice(0, LINE_UNITS_COMPARED)),
    isSameButBlanks: looked.every((key, index) => key === keys[at + index]),
  }));
}

function keyOf(line: string): string {
  return line.slice(0, LINE_UNITS_COMPARED).replace(/\s+/g, ' ').trim();
}

/** Where the text would begin so that most of its lines stand where they should; each line of it votes. */
function aligned(keys: readonly string[], looked: readonly string[]): number[] {
  const wanted = new Map<string, number[]>();
  for (const [index, key] of looked.entries()) {
    const places = wanted.get(key) ?? [];
    if (key.length > 2 && places.length < 10) wanted.set(key, [...places, index]);
  }
  const votes = new Map<number, number>();
  for (const [line, key] of keys.entries()) {
    for (const index of wanted.get(key) ?? []) {
      const start = Math.max(0, line - index);
      votes.set(start, (votes.get(start) ?? 0) + key.length);
    }
  }
  return best(votes);
}

/** The lines most like the longest of those that were looked for. */
function alike(keys: readonly string[], looked: readonly string[]): number[] {
  let index = 0;
  for (const [at, key] of looked.entries()) if (key.length > (looked[index]?.length ?? 0)) index = at;
  const wanted = looked[index] ?? '';
  const scores = new Map<number, number>();
  for (const [line, key] of keys.slice(0, LINES_RESEMBLING_MAX).entries()) {
    const score = key === '' ? 0 : likeness(wanted, key);
    if (score >= 0.5) scores.set(Math.max(0, line - index), score);
  }
  return best(scores);
}

function best(scores: ReadonlyMap<number, number>): number[] {
  return [...scores]
    .sort(([one, oneScore], [other, otherScore]) => otherScore - oneScore || one - other)
    .slice(0, PLACES_SHOWN)
    .map(([start]) => start);
}
