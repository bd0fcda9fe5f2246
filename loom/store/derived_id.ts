import { createHash } from 'node:crypto';
import { dashed } from './rows.js';

/** A UUID of version 8, RFC 9562's form for derived ids: a retry makes the same one. */
export function derivedId(from: string): string {
  const hex = createHash('sha256').update(from).digest('hex');
  return dashed(`${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17, 32)}`);
}
