import { Lexer, type Token } from 'marked';

const OPTIONS = { gfm: true };
/** The rest of a longer text is one plain block: a lexer takes more than the length of its text for some. */
const LENGTH_MAX = 500_000;

/** What nests deeper is shown as it was written: it would be drawn by as many calls. */
const NESTED_MAX = 50;

interface Lexed {
  tokens: Token[];
  /** Whether it defines addresses for links that may stand anywhere. */
  definesLinks: boolean;
}

function lex(text: string): Lexed {
  const lexer = new Lexer(OPTIONS);
  const head = text.slice(0, LENGTH_MAX);
  try {
    const tokens = lexer.lex(head).map((token) => (isShallow(token) ? token : plain(token.raw)));
    const rest = text.slice(LENGTH_MAX);
    if (rest !== '') tokens.push(plain(rest));
    return { tokens, definesLinks: Object.keys(lexer.tokens.links).length > 0 };
  } catch {
    // A text that the lexer cannot take is shown as it was written.
    return { tokens: [plain(text)], definesLinks: false };
  }
}

/** Level by level, since a text may nest deeper than calls may. */
function isShallow(token: Token): boolean {
  let level: unknown[] = [token];
  for (let depth = 0; depth < NESTED_MAX; depth += 1) {
    level = level.flatMap((one) =>
      [Reflect.get(Object(one), 'tokens') ?? [], Reflect.get(Object(one), 'items') ?? []].flat(),
    );
    if (level.length === 0) return true;
  }
  return false;
}

function plain(text: string): Token {
  return { type: 'code', raw: text, text };
}

export function blocksOf(text: string): Token[] {
  return lex(text).tokens;
}

/** The blocks of a text that grows. */
export interface GrowingBlocks {
  /** Those that are finished, in chunks that stay the same objects while they stay the same. */
  chunks: readonly (readonly Token[])[];
  /** Those that may still change. */
  rest: readonly Token[];
}

const CHUNK_BLOCKS = 24;
/** A list or a quote may go on after a gap, so the last blocks count as unfinished. */
const OPEN_BLOCKS = 3;
const START_LENGTH = 64;

/** Reads a text that grows piece by piece: finished blocks are kept, only what stands after them is read again. */
export function createGrowingBlocks(): (text: string) => GrowingBlocks {
  let state = nothingRead();
  const reset = (): void => {
    state = nothingRead();
  };
  return (text) => {
    if (text.length < state.length || !text.startsWith(state.start)) reset();
    const { tokens: rest, definesLinks } = lex(text.slice(state.length));
    if (definesLinks) {
      // An address makes links of what stands above it: such a text is read as a whole.
      reset();
      return { chunks: [], rest: blocksOf(text) };
    }
    const finished = rest.splice(0, finishedCount(rest));
    for (const token of finished) state.length += token.raw.length;
    state.start = text.slice(0, Math.min(START_LENGTH, state.length));
    if (finished.length > 0) state.chunks = withBlocks(state.chunks, finished);
    return { chunks: state.chunks, rest };
  };
}

interface ReadBlocks {
  length: number;
  start: string;
  chunks: Token[][];
}

function nothingRead(): ReadBlocks {
  return { length: 0, start: '', chunks: [] };
}

function finishedCount(tokens: readonly Token[]): number {
  let open = 0;
  let end = tokens.length;
  while (end > 0 && open < OPEN_BLOCKS) {
    end -= 1;
    if (tokens[end]?.type !== 'space') open += 1;
  }
  return open === OPEN_BLOCKS ? end : 0;
}

function withBlocks(chunks: Token[][], blocks: Token[]): Token[][] {
  const last = chunks.at(-1);
  if (last === undefined || last.length >= CHUNK_BLOCKS) return [...chunks, blocks];
  return [...chunks.slice(0, -1), [...last, ...blocks]];
}
