import { dashed } from '../store/rows.js';

/** A whole id in its text form. */
export const fullId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const idBeginning = /^[0-9a-f]{4}[0-9a-f-]*$/;
const ID_DIGITS = 32;

/** The first and the last id that begin like a reference, with or without its dashes; null when none can. */
export function idRange(ref: string): { from: string; to: string } | null {
  const id = ref.toLowerCase();
  const digits = id.replaceAll('-', '');
  if (!idBeginning.test(id) || digits.length > ID_DIGITS) return null;
  const from = digits.padEnd(ID_DIGITS, '0');
  if (digits !== id && !dashed(from).startsWith(id)) return null;
  return { from, to: digits.padEnd(ID_DIGITS, 'f') };
}
