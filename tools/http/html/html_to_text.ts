import { setImmediate as nextTurn } from 'node:timers/promises';
import { NAVIGATION, NEVER_SHOWN, OWN_LINE, PARAGRAPH_LIKE, TRACKED, VOID } from './elements.js';
import { createTextBuilder, type TextBuilder, type TextMark } from './text_builder.js';
import { type Token, tokensOf } from './tokens.js';

const HEADING = /^h[1-6]$/;
const TRACKED_MAX = 512;
const TOKENS_AT_ONCE = 10_000;
const LISTS_MAX = 100;
/** Longer addresses are ignored: each link of a page is resolved against the page's base. */
const ADDRESS_UNITS_MAX = 8_192;

/** The address of a page, and the signal that cancels reading it. */
export interface Page {
  url: string;
  signal: AbortSignal;
}

export interface PageText {
  title: string;
  text: string;
}

/** Renders a page as text: headings, lists, links with absolute addresses, rows of tables. */
export async function htmlText(html: string, page: Page): Promise<PageText> {
  const content = await render(html, page, true);
  // A page of nothing but navigation is shown with it.
  return content.text === '' ? render(html, page, false) : content;
}

interface State {
  builder: TextBuilder;
  base: string;
  title: string;
  isTitle: boolean;
  /** The open tracked elements, and their number where the hidden part begins. */
  open: string[];
  hiddenFrom: number | null;
  dropsNavigation: boolean;
  lists: { isOrdered: boolean; count: number }[];
  link: { mark: TextMark; href: string } | null;
  rowCells: number;
  cellDepth: number;
  preDepth: number;
}

async function render(html: string, { url, signal }: Page, dropsAround: boolean): Promise<PageText> {
  const builder = createTextBuilder();
  const state: State = {
    ...{ builder, base: url, title: '', isTitle: false, open: [], hiddenFrom: null, dropsNavigation: dropsAround },
    ...{ lists: [], link: null, rowCells: 0, cellDepth: 0, preDepth: 0 },
  };
  let tokens = 0;
  for (const token of tokensOf(html)) {
    onToken(state, token);
    tokens += 1;
    // Lets other work of this process run.
    if (tokens % TOKENS_AT_ONCE === 0) await nextTurn(null, { signal });
    if (!builder.isFull()) continue;
    builder.breakLines(2);
    builder.words('[the page goes on]');
    break;
  }
  endLink(state);
  return { title: state.title.replace(/\s+/g, ' ').trim().slice(0, 500), text: builder.text() };
}

function onToken(state: State, token: Token): void {
  if (token.kind === 'text') onText(state, token.text);
  else if (token.kind === 'open') onOpen(state, token);
  else onClose(state, token.name);
}

function onText(state: State, text: string): void {
  if (state.isTitle) state.title += text;
  else if (state.hiddenFrom !== null) return;
  else if (state.preDepth > 0) state.builder.exact(text);
  else state.builder.words(text);
}

type OpenToken = Extract<Token, { kind: 'open' }>;

function onOpen(state: State, token: OpenToken): void {
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
  if (state.preDepth === 0 || name === 'a' || name === 'pre') renderOpen(state, token);
  else if (name === 'br') state.builder.exact('\n');
}

// Elements whose end tag is optional are not tracked.
function isTracked(state: State, name: string): boolean {
  return state.open.length < TRACKED_MAX && TRACKED.includes(name) && name !== 'p' && name !== 'dt';
}

function isHidden(state: State, { name, attributes }: OpenToken): boolean {
  if (NEVER_SHOWN.includes(name) || name === 'title' || attributes.has('hidden')) return true;
  if (attributes.get('aria-hidden') === 'true' && name !== 'body') return true;
  return state.dropsNavigation && (NAVIGATION.includes(name) || attributes.get('role') === 'navigation');
}

function renderOpen(state: State, { name, attributes }: OpenToken): void {
  const { builder } = state;
  if (HEADING.test(name)) {
    breakBlock(state, 2);
    builder.sign(`${'#'.repeat(Number(name[1]))} `);
  } else if (PARAGRAPH_LIKE.includes(name)) breakBlock(state, name === 'p' || state.lists.length === 0 ? 2 : 1);
  else if (OWN_LINE.includes(name)) breakBlock(state, 1);
  OPEN.get(name)?.(state, attributes);
}

type Attributes = ReadonlyMap<string, string>;

const OPEN = new Map<string, (state: State, attributes: Attributes) => void>(
  Object.entries<(state: State, attributes: Attributes) => void>({
    br: (state) => breakBlock(state, 1),
    hr: ({ builder }) => {
      builder.breakLines(2);
      builder.words('---');
      builder.breakLines(2);
    },
    ul: (state) => openList(state, false),
    ol: (state) => openList(state, true),
    li: (state) => openItem(state),
    dd: ({ builder }) => {
      builder.breakLines(1);
      builder.sign('  ');
    },
    blockquote: ({ builder }) => builder.quote(1),
    pre: (state) => {
      state.builder.breakLines(2);
      state.builder.exact('```\n');
      state.preDepth += 1;
    },
    code: ({ builder }) => builder.words('`'),
    a: (state, attributes) => {
      endLink(state);
      const href = linkOf(attributes.get('href'), state.base);
      if (href !== null) state.link = { mark: state.builder.mark(), href };
    },
    img: ({ builder }, attributes) => {
      const alt = attributes.get('alt')?.trim() ?? '';
      if (alt !== '') builder.words(`[image: ${alt}]`);
    },
    table: (state) => {
      state.cellDepth = 0;
    },
    tr: (state) => {
      endRow(state);
      state.builder.breakLines(1);
    },
    td: (state) => openCell(state),
    th: (state) => openCell(state),
  }),
);

function onClose(state: State, name: string): void {
  if (name === 'title') state.isTitle = false;
  const at = state.open.lastIndexOf(name);
  if (at !== -1) state.open.length = at;
  if (state.hiddenFrom !== null) {
    if (state.open.length >= state.hiddenFrom) return;
    state.hiddenFrom = null;
    if (NEVER_SHOWN.includes(name) || NAVIGATION.includes(name)) return;
  }
  CLOSE.get(name)?.(state);
  if (HEADING.test(name) || PARAGRAPH_LIKE.includes(name)) breakBlock(state, state.lists.length === 0 ? 2 : 1);
  else if (OWN_LINE.includes(name)) breakBlock(state, 1);
}

const CLOSE = new Map<string, (state: State) => void>(
  Object.entries<(state: State) => void>({
    ul: (state) => closeList(state),
    ol: (state) => closeList(state),
    li: ({ builder }) => builder.breakLines(1),
    blockquote: ({ builder }) => builder.quote(-1),
    pre: (state) => {
      if (state.preDepth === 0) return;
      state.preDepth -= 1;
      state.builder.breakLines(1);
      state.builder.exact('```');
      state.builder.breakLines(2);
    },
    code: (state) => {
      if (state.preDepth === 0) state.builder.words('`');
    },
    a: (state) => endLink(state),
    tr: (state) => {
      endRow(state);
      state.builder.breakLines(1);
    },
    table: (state) => endRow(state),
  }),
);

/** In a table cell a break is a space: a row is one line. */
function breakBlock(state: State, count: 1 | 2): void {
  if (state.cellDepth > 0) state.builder.words(' ');
  else state.builder.breakLines(count);
}

function openList(state: State, isOrdered: boolean): void {
  if (state.lists.length >= LISTS_MAX) return;
  if (state.lists.length > 0) state.builder.indent(1);
  state.lists.push({ isOrdered, count: 0 });
}

function closeList(state: State): void {
  state.lists.pop();
  if (state.lists.length > 0) state.builder.indent(-1);
}

function openItem({ builder, lists }: State): void {
  builder.breakLines(1);
  const list = lists.at(-1);
  if (list !== undefined) list.count += 1;
  builder.sign(list?.isOrdered === true ? `${list.count}. ` : '- ');
}

function openCell(state: State): void {
  if (state.rowCells > 0) state.builder.words(' ');
  state.builder.sign('| ');
  state.rowCells += 1;
  state.cellDepth = 1;
}

function endRow(state: State): void {
  if (state.rowCells > 0) {
    state.builder.words(' ');
    state.builder.sign('|');
  }
  state.rowCells = 0;
  state.cellDepth = 0;
}

function endLink(state: State): void {
  const { link, builder } = state;
  state.link = null;
  if (link === null) return;
  builder.rewrite(link.mark, (text) => {
    if (text === null) return ` (${link.href})`;
    const words = text.trim();
    const blank = text.endsWith(' ') ? ' ' : '';
    return words === '' || words === link.href ? text : `[${words}](${link.href})${blank}`;
  });
}

/** The absolute address of a link; null for one within the page, and for other schemes. */
function linkOf(href: string | undefined, base: string): string | null {
  if (href === undefined || href.trim() === '' || href.trim().startsWith('#')) return null;
  const url = absolute(href, base);
  return url !== null && /^(https?|mailto|ftp):/.test(url) ? url : null;
}

function absolute(href: string, base: string): string | null {
  if (href.length > ADDRESS_UNITS_MAX) return null;
  return URL.canParse(href, base) ? new URL(href, base).href : null;
}
