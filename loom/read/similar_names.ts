/** The most suggestions that are returned. */
export const NEAR_MAX = 5;
/** The most names that are compared with a reference. */
export const NEAR_SCAN_MAX = 10_000;
/** A reference that shares this many first digits with an id may be a mistyped one. */
export const NEAR_DIGITS = 4;

/** One edit is allowed for each so many letters, up to a maximum. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;
/** The longest text whose edit distance is computed. */
const COMPARED_LENGTH_MAX = 100;

/** Whether somebody who typed `ref` may have meant `name`. */
export function isNear(ref: string, name: string): boolean {
  const typed = ref.toLowerCase();
  const meant = name.toLowerCase();
  if (meant.includes(typed)) return true;
  const editsMax = Math.min(EDITS_MAX, Math.ceil(typed.length / LETTERS_PER_EDIT));
  return isWithinEdits(typed, meant, editsMax);
}

function isWithinEdits(left: string, right: string, editsMax: number): boolean {
  if (Math.abs(left.length - right.length) > editsMax) return false;
  if (left.length > COMPARED_LENGTH_MAX || right.length > COMPARED_LENGTH_MAX) return false;
  return editDistance(left, right) <= editsMax;
}

/** The Levenshtein distance: letters to add, remove or exchange. */
export function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const below = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const exchange = (row[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      below.push(Math.min(exchange, (row[j + 1] ?? 0) + 1, (below[j] ?? 0) + 1));
    }
    row = below;
  }
  return row[right.length] ?? 0;
}
