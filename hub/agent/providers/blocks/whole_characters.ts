const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Joins what arrives in pieces, so that none ends in the middle of a character. */
export function wholeCharacters(): (piece: string) => string {
  let kept = '';
  return (piece) => {
    const text = kept + piece;
    kept = HIGH_SURROGATE_AT_END.test(text) ? text.slice(-1) : '';
    return text.slice(0, text.length - kept.length).toWellFormed();
  };
}
