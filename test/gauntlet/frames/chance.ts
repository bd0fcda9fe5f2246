/** Choices by a random source. */
export interface Chance {
  /** A whole number from 0 to below this. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T | undefined;
  /** True in this share of cases. */
  is(share: number): boolean;
  /** Does one of these, each in its share of cases; the last one otherwise. */
  oneOf<T>(choices: readonly [share: number, make: () => T][], otherwise: () => T): T;
}

export function chanceFrom(random: () => number): Chance {
  const below = (end: number): number => Math.floor(random() * end);
  return {
    below,
    pick: (list) => list[below(list.length)],
    is: (share) => random() < share,
    oneOf(choices, otherwise) {
      let left = random();
      for (const [share, make] of choices) {
        left -= share;
        if (left < 0) return make();
      }
      return otherwise();
    },
  };
}
