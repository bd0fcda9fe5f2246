/** What we ourselves tell a terminal: colours, moving and clearing within the live block, frames, and the modes that we set. */
const OURS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for
  /\x1b\[(?:[0-9;:]*m|\d*[ABC]|\d+;\d+H|H|[KJ]|2J|\?(?:25|1049|2004|2026)[hl]|>q)|\r\n|\r/g;
const LEFT = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

/** What reached a terminal beside our own sequences and plain text: the places, with what stands around them. */
export function foreignIn(raw: string): string[] {
  return raw
    .replace(OURS, '\n')
    .split('\n')
    .filter((line) => LEFT.test(line))
    .map((line) => JSON.stringify(line).slice(0, 200));
}

/** Everything that a terminal must not be given by anybody else. */
export const HOSTILE = [
  'begin',
  ...['\x1b]0;owned\x07', '\x1b]52;c;ZXZpbA==\x07', '\x1b]8;;http://127.0.0.1/\x1b\\link\x1b]8;;\x1b\\'],
  ...['\x9b2J', '\x9d0;owned\x9c', '\x1b[2J\x1b[3J', '\x1b[?1049h', '\x1bc', '\x1bP+q544e\x1b\\', '\x1b[6n', '\x1b[5i'],
  ...['\b\b\x7f\x00\x07\x0b\x0c', '\u202eesrever\u2066x', '\u200d\u200b\u2060', '\u2028', '\x1b[31', 'm', '\x1b'],
  'end',
].join('');
