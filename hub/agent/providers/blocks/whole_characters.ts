const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Shifts the ends of text pieces so that none ends in the middle of a character. */
export function wholeCharacters(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = held + piece;
    held = HIGH_SURROGATE_AT_END.test(text) ? text.slice(-1) : '';
    return text.slice(0, text.length - held.length).toWellFormed();
  };
}
