const CLASSES: Record<string, RegExp> = {
  alnum: /[a-z\d]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[\da-f]/i,
};
const CLASS = /^\[:([^\]]*):\]/;
const CLASS_LENGTH_MAX = 12;
const SLASH = 47;

/** A set of bytes in brackets, by what stands behind the opening one; null when it is not closed, or names an unknown class. */
export function parseByteSet(pattern: string, start: number): { token: Uint8Array; end: number } | null {
  const isNegated = pattern[start] === '!' || pattern[start] === '^';
  const begin = isNegated ? start + 1 : start;
  const bytes = new Uint8Array(256);
  let at = begin;
  let before: number | null = null;
  while (pattern[at] !== ']' || at === begin) {
    const member = memberAt(pattern, at, before);
    if (member === null) return null;
    for (const code of member.codes) bytes[code] = 1;
    before = member.before;
    at = member.end;
  }
  if (isNegated) for (const [code, value] of bytes.entries()) bytes[code] = 1 - value;
  bytes[SLASH] = 0;
  return { token: bytes, end: at + 1 };
}

interface Member {
  codes: number[];
  end: number;
  /** The single character that a range may go on from. */
  before: number | null;
}

/** A class, a range, or a character. */
function memberAt(pattern: string, at: number, before: number | null): Member | null {
  const named = CLASS.exec(pattern.slice(at, at + CLASS_LENGTH_MAX));
  if (named !== null) {
    const members = CLASSES[named[1] ?? ''];
    if (members === undefined) return null;
    const codes = codesBetween(0, 127).filter((code) => members.test(String.fromCharCode(code)));
    return { codes, end: at + named[0].length, before: null };
  }
  const next = pattern[at + 1];
  const isRange = pattern[at] === '-' && before !== null && next !== undefined && next !== ']';
  const single = characterAt(pattern, isRange ? at + 1 : at);
  if (single === null) return null;
  const { code, end } = single;
  return isRange
    ? { codes: codesBetween(before ?? code, code), end, before: null }
    : { codes: [code], end, before: code };
}

function characterAt(pattern: string, at: number): { code: number; end: number } | null {
  const start = pattern[at] === '\\' ? at + 1 : at;
  return start < pattern.length ? { code: pattern.charCodeAt(start), end: start + 1 } : null;
}

function codesBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
