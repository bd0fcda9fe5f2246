const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

export interface JsonBounds {
  /** The deepest nesting: a parser accepts depths at which code that walks the result overflows the stack. */
  levels: number;
  /** The most lists and objects: parsing one takes a hundred times longer than its two bytes. */
  containers: number;
  /** The most commas, of which there is one between any two values. */
  commas: number;
}

/** Which bound JSON text exceeds, found without parsing it; null for none. The content of strings does not count. */
export function boundBroken(text: Buffer, bounds: JsonBounds): keyof JsonBounds | null {
  let depth = 0;
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        commas += 1;
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        containers += 1;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        break;
      default:
        continue;
    }
    if (depth > bounds.levels) return 'levels';
    if (containers > bounds.containers) return 'containers';
    if (commas > bounds.commas) return 'commas';
  }
  return null;
}

/** The offset of the quote that ends the string starting here; the text's end when there is none. */
export function endOfString(text: Buffer, start: number): number {
  let at = text.indexOf(QUOTE, start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf(QUOTE, at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: Buffer, quote: number): boolean {
  let at = quote - 1;
  while (text[at] === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}
