// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR = /(\x1b\[[0-9;:]*m)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOURS = /\x1b\[[0-9;:]*m/g;
export const INK_END = '\x1b[0m';

// Which sequences end which: the ends that chalk writes, each for its own kind.
const ENDS: Readonly<Record<string, RegExp>> = {
  '22': /^[12]$/,
  '23': /^3$/,
  '24': /^4$/,
  '27': /^7$/,
  '29': /^9$/,
  '39': /^(?:3[0-8]|9[0-7])\b/,
  '49': /^(?:4[0-8]|10[0-7])\b/,
};

/** The colours in effect at an offset of a line, as the sequences that set them. */
export type Ink = readonly string[];

export const NO_INK: Ink = [];

/** The same row without its colours. */
export function withoutInk(row: string): string {
  return row.includes('\x1b') ? row.replace(COLOURS, '') : row;
}

/** A row in parts that are either one colour sequence or text. */
export function inkParts(row: string): { text: string; isInk: boolean }[] {
  // The parts that split matches by its group have odd indexes.
  return row.split(COLOUR).map((text, index) => ({ text, isInk: index % 2 === 1 }));
}

/** The colours in effect after one more sequence. */
export function inkAfter(ink: Ink, sequence: string): Ink {
  const code = codeOf(sequence);
  if (code === '' || code === '0') return NO_INK;
  const ended = ENDS[code];
  return ended === undefined ? [...ink, sequence] : ink.filter((one) => !ended.test(codeOf(one)));
}

function codeOf(sequence: string): string {
  return sequence.slice(2, -1);
}
