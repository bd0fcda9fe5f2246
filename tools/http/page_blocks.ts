import { STATUS_CODES } from 'node:http';
import { excerptOf, isBinary } from '../../hub/base/head_and_tail.js';
import type { Block } from '../../hub/protocol/node.js';
import { imageFacts, imageProblem } from '../base/image.js';
import { sha256Of } from '../base/sha256.js';
import { decodePage } from './charset.js';
import type { Fetched } from './fetch_page.js';
import { htmlText } from './html/html_to_text.js';
import { shownUrl } from './url_rules.js';

/** What a model is shown of a page. */
const HEAD_BYTES = 22_000;
const TAIL_BYTES = 8_000;
const TYPE_UNITS_MAX = 200;

/** The kind of content that an answer states, without its parameters. */
export function typeOf({ headers }: Fetched): string {
  return typeIn(headers['content-type'] ?? '');
}

function typeIn(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // A server may send bytes here that act on a terminal.
  return type.replace(/[^\x20-\x7e]/g, '').slice(0, TYPE_UNITS_MAX);
}

/** How what was sent can be read whole, how many bytes of it are stored, and what gives up. */
export interface StoredPage {
  name: string;
  bytesMax: number;
  signal: AbortSignal;
}

/** What a reader is shown of an answer: one line of facts, then the page as text, or as an image. */
export async function pageBlocks(fetched: Fetched, stored: StoredPage): Promise<Block[]> {
  const image = imageFacts(fetched.body);
  if (image !== null) {
    const isStored = fetched.body.length <= stored.bytesMax;
    const problem = isStored ? imageProblem(image, fetched.body.length) : 'it is too large to be stored whole';
    const { media_type, width, height } = image;
    const facts = `${heading(fetched)}\n[image of ${width}×${height} pixels${problem === null ? '' : `: ${problem}`}]`;
    const text: Block = { type: 'text', text: facts };
    const sha256 = sha256Of([fetched.body]);
    return problem === null ? [text, { type: 'image', sha256, media_type, width, height }] : [text];
  }
  const { url, body, headers } = fetched;
  const page = { url: url.href, body, contentType: headers['content-type'] ?? '' };
  const text = await pageText(page, stored.signal);
  if (text === null) return [{ type: 'text', text: `${heading(fetched)}\n[binary: not shown]` }];
  return [{ type: 'text', text: `${heading(fetched)}\n\n${excerpt(text, stored.name)}`.trimEnd() }];
}

/** What came from an address, and what its server said of it. */
export interface PageBytes {
  url: string;
  body: Buffer;
  contentType: string;
}

/** The page as text; null for what is none. */
export async function pageText({ url, body, contentType }: PageBytes, signal: AbortSignal): Promise<string | null> {
  const type = typeIn(contentType);
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type) || (type === '' && looksLikeHtml(body));
  const isUtf16 = /utf-?16/i.test(contentType) || [0xfeff, 0xfffe].includes(body.length < 2 ? 0 : body.readUInt16BE(0));
  if (isBinary(body) && !isUtf16 && !/^text\//.test(type)) return null;
  if (body.subarray(0, 8_192).includes(0) && !isUtf16) return null;
  const text = decodePage(body, contentType, isHtml);
  if (!isHtml) return text;
  const page = await htmlText(text, { url, signal });
  return page.title === '' ? page.text : `${page.title}\n\n${page.text}`;
}

function looksLikeHtml(body: Buffer): boolean {
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(body.toString('latin1', 0, 1_024));
}

function heading(fetched: Fetched): string {
  const { status, url, redirects, body } = fetched;
  const type = typeOf(fetched) || 'no type stated';
  const meaning = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const from =
    redirects.length === 0 ? '' : `, after ${redirects.length === 1 ? '1 redirect' : `${redirects.length} redirects`}`;
  return `[${status}${meaning}, ${type}, ${body.length.toLocaleString('en')} bytes, ${shownUrl(url.href)}${from}]`;
}

function excerpt(text: string, stored: string): string {
  if (text === '') return '[no text]';
  const bytes = Buffer.from(text);
  const whole = { head: bytes, tail: bytes, totalBytes: bytes.length };
  const { head, leftOutBytes, tail } = excerptOf(whole, { headBytes: HEAD_BYTES, tailBytes: TAIL_BYTES });
  if (leftOutBytes === 0) return head;
  return `${head}\n[… ${leftOutBytes.toLocaleString('en')} bytes left out; the body as it was sent: ${stored}]\n${tail}`;
}
