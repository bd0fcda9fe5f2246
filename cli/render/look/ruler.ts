/** Measures text in columns of a terminal. */
export interface Ruler {
  width(text: string): number;
  /** The pieces that are never cut apart. */
  pieces(text: string): Iterable<string>;
}

// Printable ASCII, and the characters that drawings use: one column each.
const SIMPLE = /^[\x20-\x7e…●│├└─→]*$/;

/** Whether the plain ruler measures this text correctly. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

/** For simple text. The wide ruler takes longer to load than a whole command may run. */
export const plainRuler: Ruler = {
  width: (text) => text.length,
  pieces: (text) => text,
};
