/** A stretch of words that two texts share, or that one of them has alone. */
export interface WordStretch {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Longer texts are not compared: the table would grow with the product of both. */
const WORDS_MAX = 2_000;

/** How one text becomes another, word by word; null for texts that are too long. */
export function wordDifference(before: string, after: string): WordStretch[] | null {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  if (old.length > WORDS_MAX || fresh.length > WORDS_MAX) return null;
  const lengths = commonLengths(old, fresh);
  const width = fresh.length + 1;
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  const stretches: WordStretch[] = [];
  const add = (kind: WordStretch['kind'], text: string): void => {
    const last = stretches.at(-1);
    if (last?.kind === kind) last.text += text;
    else stretches.push({ kind, text });
  };
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    const [left, right] = [old[row], fresh[column]];
    if (left !== undefined && right !== undefined && left.trim() === right.trim()) {
      add('same', right);
      row += 1;
      column += 1;
    } else if (right === undefined || (left !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      add('removed', left ?? '');
      row += 1;
    } else {
      add('added', right);
      column += 1;
    }
  }
  return stretches;
}

/** Words, each with the blanks behind it. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*/gu) ?? [];
}

/** How many words the ends of both share, from each pair of words on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint16Array {
  const width = fresh.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const freshWords = fresh.map((word) => word.trim());
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const word = old[row]?.trim();
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const place = row * width + column;
      lengths[place] =
        word === freshWords[column]
          ? (lengths[place + width + 1] ?? 0) + 1
          : Math.max(lengths[place + width] ?? 0, lengths[place + 1] ?? 0);
    }
  }
  return lengths;
}
