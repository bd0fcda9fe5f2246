import { createHash } from 'node:crypto';
import { type IgnorePattern, parsePattern } from './ignore_pattern.js';

const PATTERNS_MAX = 10_000;
const LINE_LENGTH_MAX = 1_000;

/** The rules of one ignore file, or of several that lie in one folder: later ones count more. */
export interface IgnoreRules {
  /** How many names lead to the folder that they hold in. */
  depth: number;
  /** Whether an entry is ignored; null when no rule speaks of it. */
  decide(names: readonly string[], isFolder: boolean): boolean | null;
}

/** Parses ignore files, the least important first; null when there is no rule in them. */
export function parseRules(files: readonly (Buffer | null)[], depth: number): IgnoreRules | null {
  const lines = files.flatMap((file) => (file === null ? [] : linesOf(file))).slice(0, PATTERNS_MAX);
  const patterns = lines.flatMap((line) => parsePattern(line) ?? []);
  if (patterns.length === 0) return null;
  const byName = new Map<string, number[]>();
  const others: number[] = [];
  for (const [index, { name }] of patterns.entries()) {
    if (name === null) others.push(index);
    else if (byName.get(name)?.push(index) === undefined) byName.set(name, [index]);
  }
  others.reverse();
  const applies = (pattern: IgnorePattern | undefined, isFolder: boolean): pattern is IgnorePattern =>
    pattern !== undefined && (isFolder || !pattern.onlyFolders);
  return {
    depth,
    decide(names, isFolder) {
      const plain = byName.get(names.at(-1) ?? '')?.findLast((index) => applies(patterns[index], isFolder)) ?? -1;
      for (const index of others) {
        if (index < plain) break;
        const pattern = patterns[index];
        if (applies(pattern, isFolder) && pattern.matches(names, depth)) return !pattern.isNegated;
      }
      return plain < 0 ? null : patterns[plain]?.isNegated === false;
    },
  };
}

/** Names rules by what they are read from, and by the name of those above. */
export function stampOf(above: string, files: readonly (Buffer | null)[]): string {
  if (files.every((file) => file === null)) return above;
  const hash = createHash('sha256').update(above);
  for (const file of files) hash.update(`${file?.length ?? -1} `).update(file ?? '');
  return hash.digest('hex');
}

function linesOf(file: Buffer): string[] {
  const text = file.toString('latin1');
  const begin = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  return text
    .slice(begin)
    .split('\n')
    .filter((line) => line.length <= LINE_LENGTH_MAX);
}

/** Whether rules ignore an entry; the last ones are the most important, and the first that speaks of it decides. */
export function isIgnored(rules: readonly IgnoreRules[], names: readonly string[], isFolder: boolean): boolean {
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const decision = rules[index]?.decide(names, isFolder) ?? null;
    if (decision !== null) return decision;
  }
  return false;
}
