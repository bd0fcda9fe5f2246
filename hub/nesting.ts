const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether JSON text nests deeper than this, told without parsing it: a parser accepts depths at which
 * whatever walks the result overflows the stack. Brackets inside strings do not count.
 */
export function isDeeperThan(text: Buffer, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at);
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > levels) return true;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

/** The place of the quote that ends the string beginning here; the text's end when there is none. */
function endOfString(text: Buffer, start: number): number {
  let at = text.indexOf(QUOTE, start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf(QUOTE, at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: Buffer, quote: number): boolean {
  let at = quote - 1;
  while (text[at] === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}
