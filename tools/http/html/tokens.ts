import { decodeAttribute, decodeEntities } from './entities.js';

export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string };

/** Elements whose content is not markup: it ends only at their end tag. */
const RAW = ['script', 'style', 'textarea', 'title', 'xmp', 'noembed', 'noframes', 'iframe'];
const ATTRIBUTES_MAX = 50;

/**
 * Splits a page into tags and texts as browsers do. Each character is looked at a bounded number of times: where
 * something has no end, it extends to the end of the page.
 */
export function* tokensOf(html: string): Generator<Token> {
  for (let at = 0; at < html.length; ) {
    const start = tagStart(html, at);
    if (start > at) yield { kind: 'text', text: decodeEntities(html.slice(at, start)) };
    if (start === html.length) return;
    const { token, end } = tagAt(html, start);
    at = end;
    if (token === null) continue;
    yield token;
    if (token.kind !== 'open' || !RAW.includes(token.name)) continue;
    const close = rawEnd(html, end, token.name);
    const text = html.slice(end, close);
    const isDecoded = token.name === 'title' || token.name === 'textarea';
    yield { kind: 'text', text: isDecoded ? decodeEntities(text) : text };
    at = close;
  }
}

/** The start of the next tag or comment, else the end of the page. */
function tagStart(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at !== -1; at = html.indexOf('<', at + 1)) {
    if (/[a-z/!?]/i.test(html[at + 1] ?? '')) return at;
  }
  return html.length;
}

function rawEnd(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

interface Tag {
  token: Token | null;
  end: number;
}

function tagAt(html: string, start: number): Tag {
  if (html.startsWith('<!--', start)) return { token: null, end: after(html, '-->', start + 2) };
  const isClose = html[start + 1] === '/';
  const name = nameAt(html, start + (isClose ? 2 : 1));
  if (name === '') return { token: null, end: after(html, '>', start + 1) };
  const from = start + (isClose ? 2 : 1) + name.length;
  const { attributes, end } = attributesAt(html, from);
  const lower = name.toLowerCase();
  return { token: isClose ? { kind: 'close', name: lower } : { kind: 'open', name: lower, attributes }, end };
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}

function nameAt(html: string, at: number): string {
  const name = /[a-z][^\s/>]{0,99}/iy;
  name.lastIndex = at;
  return name.exec(html)?.[0] ?? '';
}

function attributesAt(html: string, from: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let at = from;
  for (;;) {
    at = skip(html, at, /[\s/]*/y);
    if (at >= html.length) return { attributes, end: html.length };
    if (html[at] === '>') return { attributes, end: at + 1 };
    const nameEnd = Math.max(at + 1, skip(html, at, /[^\s/>=]*/y));
    const name = html.slice(at, nameEnd).toLowerCase();
    const equals = skip(html, nameEnd, /\s*/y);
    const { value, end } = html[equals] === '=' ? valueAt(html, equals + 1) : { value: '', end: nameEnd };
    at = end;
    if (!attributes.has(name) && attributes.size < ATTRIBUTES_MAX) attributes.set(name, decodeAttribute(value));
  }
}

function valueAt(html: string, from: number): { value: string; end: number } {
  const start = skip(html, from, /\s*/y);
  const quote = html[start];
  if (quote !== '"' && quote !== "'") {
    const end = skip(html, start, /[^\s>]*/y);
    return { value: html.slice(start, end), end };
  }
  const end = html.indexOf(quote, start + 1);
  if (end === -1) return { value: html.slice(start + 1), end: html.length };
  return { value: html.slice(start + 1, end), end: end + 1 };
}

function skip(html: string, from: number, what: RegExp): number {
  what.lastIndex = from;
  what.exec(html);
  return what.lastIndex;
}
