/** The most text of a page: a long base address may be repeated in each of its links. */
const TEXT_UNITS_MAX = 8 * 1024 * 1024;
const DEPTH_MAX = 8;

/** A position in the text. */
export interface TextMark {
  line: number;
  part: number;
}

/** Builds the text of a page: words flow, blocks begin on new lines. */
export interface TextBuilder {
  /** Adds words; runs of blanks become one. */
  words(text: string): void;
  /** Adds text verbatim. */
  exact(text: string): void;
  /** Adds a prefix, such as the dash of a list item: alone it is dropped. */
  sign(text: string): void;
  /** Ends the line; with 2, leaves an empty line. No effect at the start, or where the break exists. */
  breakLines(count: 1 | 2): void;
  /** Changes the indentation of the following lines: levels of lists, and of quotations. */
  indent(levels: number): void;
  quote(levels: number): void;
  mark(): TextMark;
  /** Replaces the words added since a mark; `text` is null when they span several lines. */
  rewrite(mark: TextMark, write: (text: string | null) => string): void;
  isFull(): boolean;
  text(): string;
}

interface State {
  lines: string[];
  /** The current line. Parts are joined once, so that long lines take linear time. */
  parts: string[];
  hasWords: boolean;
  endsBlank: boolean;
  pendingBreaks: 0 | 1 | 2;
  units: number;
  indent: number;
  quote: number;
}

export function createTextBuilder(): TextBuilder {
  const state: State = {
    ...{ lines: [], parts: [], hasWords: false, endsBlank: true, pendingBreaks: 0, units: 0, indent: 0, quote: 0 },
  };
  const level = (now: number, by: number): number => Math.min(1_000_000, Math.max(0, now + by));
  return {
    words: (text) => addWords(state, text),
    exact(text) {
      begin(state);
      for (const [index, line] of text.split('\n').entries()) {
        if (index > 0) endLine(state);
        add(state, line);
      }
      state.hasWords = !text.endsWith('\n');
    },
    sign(text) {
      begin(state);
      add(state, text);
      state.endsBlank = true;
    },
    breakLines(count) {
      if (count > state.pendingBreaks) state.pendingBreaks = count;
    },
    indent(by) {
      state.indent = level(state.indent, by);
    },
    quote(by) {
      state.quote = level(state.quote, by);
    },
    mark() {
      begin(state);
      return { line: state.lines.length, part: state.parts.length };
    },
    rewrite({ line, part }, write) {
      if (line === state.lines.length) add(state, write(state.parts.splice(part).join('')));
      else add(state, write(null));
    },
    isFull: () => state.units > TEXT_UNITS_MAX,
    text() {
      endLine(state);
      return state.lines.join('\n').replace(/^\n+/, '').trimEnd();
    },
  };
}

function addWords(state: State, text: string): void {
  const flowing = text.replace(/[ \t\n\r\f\u00a0]+/g, ' ');
  const isBlank = flowing === '' || flowing === ' ';
  if (isBlank && (flowing === '' || state.pendingBreaks > 0 || state.endsBlank)) return;
  begin(state);
  add(state, state.endsBlank ? flowing.trimStart() : flowing);
  state.endsBlank = flowing.endsWith(' ');
  if (!isBlank) state.hasWords = true;
}

function add(state: State, text: string): void {
  state.parts.push(text);
  state.units += text.length;
}

/** Writes the pending line breaks, now that something follows. */
function begin(state: State): void {
  if (state.pendingBreaks === 0) {
    if (state.parts.length === 0) add(state, prefixOf(state));
    return;
  }
  if (state.hasWords) {
    endLine(state);
    if (state.pendingBreaks > 1) state.lines.push('');
    add(state, prefixOf(state));
  } else if (state.parts.length <= 1) state.parts = [prefixOf(state)];
  state.pendingBreaks = 0;
}

function prefixOf({ quote, indent }: State): string {
  return '> '.repeat(Math.min(quote, DEPTH_MAX)) + '  '.repeat(Math.min(indent, DEPTH_MAX));
}

function endLine(state: State): void {
  state.lines.push(state.parts.join('').trimEnd());
  state.units += 1;
  state.parts = [];
  state.hasWords = false;
  state.endsBlank = true;
}
