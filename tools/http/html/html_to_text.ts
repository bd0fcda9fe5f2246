import { setImmediate as nextTurn } from 'node:timers/promises';
import { AROUND, LINED, SPACED, TRACKED, UNSEEN, VOID } from './elements.js';
import { createPaper, type Paper, type PaperMark } from './text_builder.js';
import { type Token, tokensOf } from './tokens.js';

const HEADING = /^h[1-6]$/;
const TRACKED_MAX = 512;
const TOKENS_AT_ONCE = 10_000;
const LISTS_MAX = 100;
/** No longer address leads anywhere, and each link of a page is read together with the base that the page states. */
const ADDRESS_UNITS_MAX = 8_192;

/** Which page it is, and what gives up reading it. */
export interface Page {
  url: string;
  signal: AbortSignal;
}

export interface PageText {
  title: string;
  text: string;
}

/** A page as text that can be read from top to bottom: headings, lists, links with whole addresses, rows of tables. */
export async function htmlText(html: string, page: Page): Promise<PageText> {
  const content = await render(html, page, true);
  // A page of nothing but what was left out is shown with it.
  return content.text === '' ? render(html, page, false) : content;
}

interface State {
  paper: Paper;
  base: string;
  title: string;
  isTitle: boolean;
  /** Open elements that must be closed, and how many of them there were where nothing is shown. */
  open: string[];
  hiddenFrom: number | null;
  dropsAround: boolean;
  lists: { isOrdered: boolean; count: number }[];
  link: { mark: PaperMark; href: string } | null;
  rowCells: number;
  cellDepth: number;
  preDepth: number;
}

async function render(html: string, { url, signal }: Page, dropsAround: boolean): Promise<PageText> {
  const paper = createPaper();
  const state: State = {
    ...{ paper, base: url, title: '', isTitle: false, open: [], hiddenFrom: null, dropsAround },
    ...{ lists: [], link: null, rowCells: 0, cellDepth: 0, preDepth: 0 },
  };
  let tokens = 0;
  for (const token of tokensOf(html)) {
    take(state, token);
    tokens += 1;
    // Others have work to do as well.
    if (tokens % TOKENS_AT_ONCE === 0) await nextTurn(null, { signal });
    if (!paper.isFull()) continue;
    paper.breakLines(2);
    paper.words('[the page goes on]');
    break;
  }
  endLink(state);
  return { title: state.title.replace(/\s+/g, ' ').trim().slice(0, 500), text: paper.text() };
}

function take(state: State, token: Token): void {
  if (token.kind === 'text') takeText(state, token.text);
  else if (token.kind === 'open') takeOpen(state, token);
  else takeClose(state, token.name);
}

function takeText(state: State, text: string): void {
  if (state.isTitle) state.title += text;
  else if (state.hiddenFrom !== null) return;
  else if (state.preDepth > 0) state.paper.exact(text);
  else state.paper.words(text);
}

type Opened = Extract<Token, { kind: 'open' }>;

function takeOpen(state: State, token: Opened): void {
  const { name, attributes } = token;
  if (name === 'title' && state.title === '' && !state.open.includes('svg')) state.isTitle = true;
  if (name === 'base') state.base = absolute(attributes.get('href') ?? '', state.base) ?? state.base;
  if (isTracked(state, name)) state.open.push(name);
  if (state.hiddenFrom !== null) return;
  if (isHidden(state, token)) {
    if (VOID.includes(name)) return;
    if (state.open.at(-1) !== name) state.open.push(name);
    state.hiddenFrom = state.open.length;
    return;
  }
  if (state.preDepth === 0 || name === 'a' || name === 'pre') openShown(state, token);
  else if (name === 'br') state.paper.exact('\n');
}

// Elements that may be left without an end tag are not waited for.
function isTracked(state: State, name: string): boolean {
  return state.open.length < TRACKED_MAX && TRACKED.includes(name) && name !== 'p' && name !== 'dt';
}

function isHidden(state: State, { name, attributes }: Opened): boolean {
  if (UNSEEN.includes(name) || name === 'title' || attributes.has('hidden')) return true;
  if (attributes.get('aria-hidden') === 'true' && name !== 'body') return true;
  return state.dropsAround && (AROUND.includes(name) || attributes.get('role') === 'navigation');
}

function openShown(state: State, { name, attributes }: Opened): void {
  const { paper } = state;
  if (HEADING.test(name)) {
    breakBlock(state, 2);
    paper.sign(`${'#'.repeat(Number(name[1]))} `);
  } else if (SPACED.includes(name)) breakBlock(state, name === 'p' || state.lists.length === 0 ? 2 : 1);
  else if (LINED.includes(name)) breakBlock(state, 1);
  OPEN.get(name)?.(state, attributes);
}

type Attributes = ReadonlyMap<string, string>;

const OPEN = new Map<string, (state: State, attributes: Attributes) => void>(
  Object.entries<(state: State, attributes: Attributes) => void>({
    br: (state) => breakBlock(state, 1),
    hr: ({ paper }) => {
      paper.breakLines(2);
      paper.words('---');
      paper.breakLines(2);
    },
    ul: (state) => openList(state, false),
    ol: (state) => openList(state, true),
    li: (state) => openItem(state),
    dd: ({ paper }) => {
      paper.breakLines(1);
      paper.sign('  ');
    },
    blockquote: ({ paper }) => paper.quote(1),
    pre: (state) => {
      state.paper.breakLines(2);
      state.paper.exact('```\n');
      state.preDepth += 1;
    },
    code: ({ paper }) => paper.words('`'),
    a: (state, attributes) => {
      endLink(state);
      const href = linkOf(attributes.get('href'), state.base);
      if (href !== null) state.link = { mark: state.paper.mark(), href };
    },
    img: ({ paper }, attributes) => {
      const alt = attributes.get('alt')?.trim() ?? '';
      if (alt !== '') paper.words(`[image: ${alt}]`);
    },
    table: (state) => {
      state.cellDepth = 0;
    },
    tr: (state) => {
      endRow(state);
      state.paper.breakLines(1);
    },
    td: (state) => openCell(state),
    th: (state) => openCell(state),
  }),
);

function takeClose(state: State, name: string): void {
  if (name === 'title') state.isTitle = false;
  const at = state.open.lastIndexOf(name);
  if (at !== -1) state.open.length = at;
  if (state.hiddenFrom !== null) {
    if (state.open.length >= state.hiddenFrom) return;
    state.hiddenFrom = null;
    if (UNSEEN.includes(name) || AROUND.includes(name)) return;
  }
  CLOSE.get(name)?.(state);
  if (HEADING.test(name) || SPACED.includes(name)) breakBlock(state, state.lists.length === 0 ? 2 : 1);
  else if (LINED.includes(name)) breakBlock(state, 1);
}

const CLOSE = new Map<string, (state: State) => void>(
  Object.entries<(state: State) => void>({
    ul: (state) => closeList(state),
    ol: (state) => closeList(state),
    li: ({ paper }) => paper.breakLines(1),
    blockquote: ({ paper }) => paper.quote(-1),
    pre: (state) => {
      if (state.preDepth === 0) return;
      state.preDepth -= 1;
      state.paper.breakLines(1);
      state.paper.exact('```');
      state.paper.breakLines(2);
    },
    code: (state) => {
      if (state.preDepth === 0) state.paper.words('`');
    },
    a: (state) => endLink(state),
    tr: (state) => {
      endRow(state);
      state.paper.breakLines(1);
    },
    table: (state) => endRow(state),
  }),
);

/** In a cell of a table, lines go on: a row is one line. */
function breakBlock(state: State, count: 1 | 2): void {
  if (state.cellDepth > 0) state.paper.words(' ');
  else state.paper.breakLines(count);
}

function openList(state: State, isOrdered: boolean): void {
  if (state.lists.length >= LISTS_MAX) return;
  if (state.lists.length > 0) state.paper.indent(1);
  state.lists.push({ isOrdered, count: 0 });
}

function closeList(state: State): void {
  state.lists.pop();
  if (state.lists.length > 0) state.paper.indent(-1);
}

function openItem({ paper, lists }: State): void {
  paper.breakLines(1);
  const list = lists.at(-1);
  if (list !== undefined) list.count += 1;
  paper.sign(list?.isOrdered === true ? `${list.count}. ` : '- ');
}

function openCell(state: State): void {
  if (state.rowCells > 0) state.paper.words(' ');
  state.paper.sign('| ');
  state.rowCells += 1;
  state.cellDepth = 1;
}

function endRow(state: State): void {
  if (state.rowCells > 0) {
    state.paper.words(' ');
    state.paper.sign('|');
  }
  state.rowCells = 0;
  state.cellDepth = 0;
}

function endLink(state: State): void {
  const { link, paper } = state;
  state.link = null;
  if (link === null) return;
  paper.rewrite(link.mark, (text) => {
    if (text === null) return ` (${link.href})`;
    const words = text.trim();
    const blank = text.endsWith(' ') ? ' ' : '';
    return words === '' || words === link.href ? text : `[${words}](${link.href})${blank}`;
  });
}

/** Where a link leads, whole; null for one to a place on the same page, and for one that is none. */
function linkOf(href: string | undefined, base: string): string | null {
  if (href === undefined || href.trim() === '' || href.trim().startsWith('#')) return null;
  const url = absolute(href, base);
  return url !== null && /^(https?|mailto|ftp):/.test(url) ? url : null;
}

function absolute(href: string, base: string): string | null {
  if (href.length > ADDRESS_UNITS_MAX) return null;
  return URL.canParse(href, base) ? new URL(href, base).href : null;
}
