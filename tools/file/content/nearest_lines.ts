import { likeness } from '../path/path_errors.js';

const LINES_COMPARED_MAX = 20_000;
/** Fewer lines are scored by likeness, which takes longer. */
const LINES_RESEMBLING_MAX = 5_000;
const LINE_UNITS_COMPARED = 200;
const RESULTS_MAX = 3;
const LINES_SHOWN_MAX = 12;

/** Lines of a file that resemble the text that was searched. */
export interface NearLines {
  /** Counted from 1. */
  line: number;
  lines: string[];
  /** Whether they differ from it in blanks only. */
  isSameButBlanks: boolean;
}

/** Finds the lines most like a text, in time linear in the lines of the file. */
export function nearestLines(text: string, pattern: string): NearLines[] {
  const lines = text.split('\n', LINES_COMPARED_MAX);
  const keys = lines.map(keyOf);
  const patternKeys = pattern.split('\n').slice(0, 200).map(keyOf);
  const starts = aligned(keys, patternKeys);
  const nearest = starts.length > 0 ? starts : alike(keys, patternKeys);
  const height = Math.min(LINES_SHOWN_MAX, patternKeys.length);
  return nearest.slice(0, RESULTS_MAX).map((at) => ({
    line: at + 1,
    lines: lines.slice(at, at + height).map((line) => line.replace(/\r$/, '').slice(0, LINE_UNITS_COMPARED)),
    isSameButBlanks: patternKeys.every((key, index) => key === keys[at + index]),
  }));
}

function keyOf(line: string): string {
  return line.slice(0, LINE_UNITS_COMPARED).replace(/\s+/g, ' ').trim();
}

/** The lines at which the text would begin so that most of its lines match; each of its lines votes. */
function aligned(keys: readonly string[], patternKeys: readonly string[]): number[] {
  const indicesByKey = new Map<string, number[]>();
  for (const [index, key] of patternKeys.entries()) {
    const indices = indicesByKey.get(key) ?? [];
    if (key.length > 2 && indices.length < 10) indicesByKey.set(key, [...indices, index]);
  }
  const votes = new Map<number, number>();
  for (const [line, key] of keys.entries()) {
    for (const index of indicesByKey.get(key) ?? []) {
      const start = Math.max(0, line - index);
      votes.set(start, (votes.get(start) ?? 0) + key.length);
    }
  }
  return best(votes);
}

/** The lines most like the longest line of the text. */
function alike(keys: readonly string[], patternKeys: readonly string[]): number[] {
  let index = 0;
  for (const [at, key] of patternKeys.entries()) if (key.length > (patternKeys[index]?.length ?? 0)) index = at;
  const longest = patternKeys[index] ?? '';
  const scores = new Map<number, number>();
  for (const [line, key] of keys.slice(0, LINES_RESEMBLING_MAX).entries()) {
    const score = key === '' ? 0 : likeness(longest, key);
    if (score >= 0.5) scores.set(Math.max(0, line - index), score);
  }
  return best(scores);
}

function best(scores: ReadonlyMap<number, number>): number[] {
  return [...scores]
    .sort(([one, oneScore], [other, otherScore]) => otherScore - oneScore || one - other)
    .slice(0, RESULTS_MAX)
    .map(([start]) => start);
}
