/**
 * What is not seen where it stands, or makes a line read otherwise than it runs: letters that are drawn as nothing, and blanks that
 * bash takes for letters. The sign that makes an emoji of the one before it is left.
 */
const INVISIBLE = /[^\P{C}\n\t]|(?!\ufe0f)\p{DI}|(?! )\p{Z}|\u2800/gu;

export function isVisible(text: string): boolean {
  return text.search(INVISIBLE) < 0;
}

/** A text whose invisible signs are shown by their numbers. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
