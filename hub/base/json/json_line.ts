import { JSON_CONTAINERS_MAX, JSON_DEPTH_MAX } from '../../protocol/limits.js';
import { boundBroken } from './json_bounds.js';

const BOUNDS = { levels: JSON_DEPTH_MAX, containers: 10 * JSON_CONTAINERS_MAX, commas: Number.POSITIVE_INFINITY };
const OPENING_BRACE = 0x7b;

/** The object that a line of another program is; null for one that is none, or nested deeper than code can walk. */
export function objectInLine<T extends object>(line: Buffer): T | null {
  if (line[0] !== OPENING_BRACE || isTooNested(line)) return null;
  try {
    const parsed: T = JSON.parse(line.toString('utf8'));
    return parsed;
  } catch {
    return null; // its reader takes it for noise
  }
}

export function isTooNested(line: Buffer): boolean {
  return boundBroken(line, BOUNDS) !== null;
}
