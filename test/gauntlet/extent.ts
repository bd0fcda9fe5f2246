/** How much of a test runs. The suite runs a small share; `npm run gauntlet` runs more, or one seed again. */
export interface Extent {
  seed: number;
  count: number;
}

export function extent(usualCount: number): Extent {
  const { GAUNTLET_SEED, GAUNTLET_COUNT } = process.env;
  return {
    seed: GAUNTLET_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(GAUNTLET_SEED),
    count: GAUNTLET_COUNT === undefined ? usualCount : Number(GAUNTLET_COUNT),
  };
}

/** A repeatable source of numbers in [0, 1): mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** For a test that a busy machine holds up; what is run at length takes its time. */
export const PATIENT_MS = process.env.GAUNTLET_COUNT === undefined ? 240_000 : 3_600_000;

/** A whole run, which a person has asked for, takes as long as it takes on that machine. */
const WHOLE_MS_MAX = 14_400_000;

export function timeFor(shareMs: number): number {
  return process.env.GAUNTLET_COUNT === undefined ? shareMs : WHOLE_MS_MAX;
}
