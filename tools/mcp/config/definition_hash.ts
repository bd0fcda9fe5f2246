import { Sha256 } from '../../../hub/protocol/node.js';
import { sha256Of } from '../../base/sha256.js';

/** The hash of a value whose keys may come in any order. */
export function canonicalHash(value: unknown): Sha256 {
  return Sha256.parse(sha256Of([Buffer.from(JSON.stringify(sorted(value)))]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}
