/** The most likely ones that are told. */
export const NEAR_MAX = 5;
/** The most names that are looked through for one like the reference. */
export const NEAR_SCAN_MAX = 10_000;
/** A reference that shares this many first digits with an id may be a mistyped one. */
export const NEAR_DIGITS = 4;

/** The most edits apart that a name may be and still be meant: one for each so many letters. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;
/** The longest text that is compared letter by letter. */
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

/** How many letters must be added, removed or exchanged to make one text of the other. */
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
