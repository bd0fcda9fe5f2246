// Every sequence that a terminal acts on (ECMA-48): strings such as OSC and DCS, control sequences, and short escapes.
// None of the parts can match the start of another, so the search is linear in the text.
// A string is removed only when it is ended; an unended one loses its opening, and what follows stays readable.
const SEQUENCES = new RegExp(
  [
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '\\x1b[ -/]*[0-Z\\\\^-~]',
    '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]',
  ].join('|'),
  'g',
);
// They reorder what stands around them, so that a line reads otherwise than it is.
const BIDI_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const SUSPECT = /[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/u;

/** Makes foreign text safe to print: no control sequence is left, only line ends and tabs. */
export function clean(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(SEQUENCES, '')
    .replace(LINE_ENDS, '\n')
    .replace(BIDI_OVERRIDES, (sign) => `<U+${sign.charCodeAt(0).toString(16).toUpperCase()}>`);
}

/** The same on one line: every run of blanks becomes one. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim();
}
