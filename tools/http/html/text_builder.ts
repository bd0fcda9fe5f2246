/** The most text that a page becomes: an address that a page states once may be repeated in each of its links. */
const TEXT_UNITS_MAX = 8 * 1024 * 1024;
const DEPTH_MAX = 8;

/** A place where words have been added. */
export interface PaperMark {
  line: number;
  part: number;
}

/** Where a page is written down as text: words flow, blocks begin on lines of their own. */
export interface Paper {
  /** Adds words; blanks between them are one. */
  words(text: string): void;
  /** Adds text as it is. */
  exact(text: string): void;
  /** Adds what stands before a text, such as the dash of a list: alone it is nothing. */
  sign(text: string): void;
  /** Ends the line; with 2, leaves a line empty. Nothing happens at the start and where that is so already. */
  breakLines(count: 1 | 2): void;
  /** What lines begin with from the next on: levels of a list, and of quotations. */
  indent(levels: number): void;
  quote(levels: number): void;
  mark(): PaperMark;
  /** Puts something else where words have been added since; null when they go over several lines. */
  rewrite(mark: PaperMark, write: (text: string | null) => string): void;
  isFull(): boolean;
  text(): string;
}

interface State {
  lines: string[];
  /** The line that is being written. Parts are joined once, so that long lines cost no more than short ones. */
  parts: string[];
  hasWords: boolean;
  endsBlank: boolean;
  wanted: 0 | 1 | 2;
  units: number;
  indent: number;
  quote: number;
}

export function createPaper(): Paper {
  const state: State = {
    ...{ lines: [], parts: [], hasWords: false, endsBlank: true, wanted: 0, units: 0, indent: 0, quote: 0 },
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
      if (count > state.wanted) state.wanted = count;
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
  if (isBlank && (flowing === '' || state.wanted > 0 || state.endsBlank)) return;
  begin(state);
  add(state, state.endsBlank ? flowing.trimStart() : flowing);
  state.endsBlank = flowing.endsWith(' ');
  if (!isBlank) state.hasWords = true;
}

function add(state: State, text: string): void {
  state.parts.push(text);
  state.units += text.length;
}

/** Makes the line breaks that were asked for, now that something follows. */
function begin(state: State): void {
  if (state.wanted === 0) {
    if (state.parts.length === 0) add(state, prefixOf(state));
    return;
  }
  if (state.hasWords) {
    endLine(state);
    if (state.wanted > 1) state.lines.push('');
    add(state, prefixOf(state));
  } else if (state.parts.length <= 1) state.parts = [prefixOf(state)];
  state.wanted = 0;
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
