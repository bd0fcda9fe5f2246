import { shortened } from '../../../hub/base/head_and_tail.js';

const DEPTH_MAX = 80;
/** A frame may hold a hundred thousand; a batch has many calls, and an input stands in it twice. */
const BYTES_FOR_A_VALUE = 256;

/** The input of a call as the hub takes it: one that is too large, or nested too deep, becomes text. */
export function inputThatFits(input: unknown, bytesMax: number): unknown {
  const text = JSON.stringify(input) ?? 'null';
  const isSmall = text.length * 3 <= bytesMax && holdsAtMost(input, DEPTH_MAX, bytesMax / BYTES_FOR_A_VALUE) >= 0;
  return isSmall ? (input ?? null) : { text: shortened(text, bytesMax).text };
}

/** How many more values there may be after those of this one; negative when there are too many, or too deep. */
function holdsAtMost(value: unknown, depth: number, left: number): number {
  if (typeof value !== 'object' || value === null) return left - 1;
  if (depth === 0) return -1;
  let rest = left - 1;
  for (const one of Object.values(value)) {
    if (rest < 0) return rest;
    rest = holdsAtMost(one, depth - 1, rest);
  }
  return rest;
}
