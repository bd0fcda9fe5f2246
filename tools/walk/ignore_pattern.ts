import { parseByteSet } from './byte_set.js';

/** One rule of an ignore file. Names are byte strings: each character is one byte, as git compares them. */
export interface IgnorePattern {
  /** Whether what matches is kept, although an earlier rule ignores it. */
  isNegated: boolean;
  onlyFolders: boolean;
  /** A plain name that is matched at any depth; null for any other pattern. */
  name: string | null;
  /** Whether the names of a path match, from the one at `from` on: those before it lead to the folder of the ignore file. */
  matches(names: readonly string[], from: number): boolean;
}

/** A character, or what stands for one: any, some, any number. */
type Token = number | 'any' | 'some' | Uint8Array;
/** Whether a name matches a part between slashes; `all` stands for any number of folders. */
type Part = ((name: string) => boolean) | 'all';

const SLASH = 47;
const BACKSLASH = 92;

/** The rule of a line; null for a comment, a blank line, and what can match nothing. */
export function parsePattern(line: string): IgnorePattern | null {
  let text = withoutBlanks(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (text.startsWith('#')) return null;
  const isNegated = text.startsWith('!');
  if (isNegated) text = text.slice(1);
  const onlyFolders = text.endsWith('/');
  if (onlyFolders) text = text.slice(0, -1);
  const isAnchored = text.includes('/');
  const tokens = tokensOf(text.startsWith('/') ? text.slice(1) : text);
  if (text === '' || tokens === null) return null;
  const parts = tokens.map(compilePart);
  const [first = 'all'] = parts;
  const matches = isAnchored
    ? (names: readonly string[], from: number) => matchesParts(parts, names, from)
    : (names: readonly string[]) => first === 'all' || first(names.at(-1) ?? '');
  return { isNegated, onlyFolders, name: isAnchored ? null : plainText(tokens[0] ?? []), matches };
}

/** Blanks at the end count only behind a backslash. */
function withoutBlanks(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line.charCodeAt(at) === BACKSLASH) at += 1;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

function plainText(tokens: readonly Token[]): string | null {
  return tokens.every((token) => typeof token === 'number') ? String.fromCharCode(...tokens) : null;
}

/** Null for a pattern that matches nothing: a bracket that is not closed, a backslash at the end. */
function tokensOf(pattern: string): Token[][] | null {
  const parts: Token[][] = [[]];
  for (let at = 0; at < pattern.length; ) {
    const next = tokenAt(pattern, at);
    if (next === null) return null;
    if (next.token === SLASH) parts.push([]);
    else parts.at(-1)?.push(next.token);
    at = next.end;
  }
  return parts;
}

/** Most parts are a name, or one end of it: those are compared at once. */
function compilePart(tokens: readonly Token[]): Part {
  if (tokens.length > 1 && tokens.every((token) => token === 'some')) return 'all';
  const whole = plainText(tokens);
  if (whole !== null) return (name) => name === whole;
  const end = tokens[0] === 'some' ? plainText(tokens.slice(1)) : null;
  if (end !== null) return (name) => name.endsWith(end);
  const start = tokens.at(-1) === 'some' ? plainText(tokens.slice(0, -1)) : null;
  if (start !== null) return (name) => name.startsWith(start);
  return (name) => matchesName(tokens, name);
}

/** The token at an offset, and where the next begins; null when there is none. */
function tokenAt(pattern: string, at: number): { token: Token; end: number } | null {
  switch (pattern[at]) {
    case '*':
      return { token: 'some', end: at + 1 };
    case '?':
      return { token: 'any', end: at + 1 };
    case '[':
      return parseByteSet(pattern, at + 1);
    case '\\':
      return at + 1 < pattern.length ? { token: pattern.charCodeAt(at + 1), end: at + 2 } : null;
    default:
      return { token: pattern.charCodeAt(at), end: at + 1 };
  }
}

/** Matches names with parts. Only the last `all` is tried again, with one name more: what an earlier one took makes no difference. */
function matchesParts(parts: readonly Part[], names: readonly string[], from: number): boolean {
  let part = 0;
  let again: { part: number; at: number } | null = null;
  for (let at = from; at < names.length; ) {
    const wanted = parts[part];
    if (wanted === 'all') {
      again = { part, at };
      part += 1;
    } else if (wanted?.(names[at] ?? '') === true) {
      part += 1;
      at += 1;
    } else {
      if (again === null) return false;
      again.at += 1;
      at = again.at;
      part = again.part + 1;
    }
  }
  return part === parts.length;
}

/** Matches one name; as above, only the last star is tried again. */
function matchesName(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let again: { token: number; at: number } | null = null;
  for (let at = 0; at < name.length; ) {
    const wanted = tokens[token];
    if (wanted === 'some') {
      again = { token, at };
      token += 1;
    } else if (wanted !== undefined && matchesByte(wanted, name.charCodeAt(at))) {
      token += 1;
      at += 1;
    } else {
      if (again === null) return false;
      again.at += 1;
      at = again.at;
      token = again.token + 1;
    }
  }
  while (tokens[token] === 'some') token += 1;
  return token === tokens.length;
}

function matchesByte(token: Exclude<Token, 'some'>, code: number): boolean {
  if (typeof token === 'number') return token === code;
  return token === 'any' || token[code] === 1;
}
