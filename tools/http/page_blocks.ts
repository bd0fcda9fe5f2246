import { STATUS_CODES } from 'node:http';
import { excerptOf, isBinary } from '../../hub/base/head_and_tail.js';
import type { Block } from '../../hub/protocol/node.js';
import { imageFacts, imageProblem } from '../base/image.js';
import { sha256Of } from '../base/sha256.js';
import { decodePage } from './charset.js';
import type { FetchedPage } from './fetch_page.js';
import { htmlText } from './html/html_to_text.js';
import { shownUrl } from './url_rules.js';

/** How much of a page a model is sent. */
const HEAD_BYTES = 22_000;
const TAIL_BYTES = 8_000;
const TYPE_UNITS_MAX = 200;

/** The media type of a response, without its parameters. */
export function typeOf({ headers }: FetchedPage): string {
  return typeIn(headers['content-type'] ?? '');
}

function typeIn(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // A server may send control sequences for terminals here.
  return type.replace(/[^\x20-\x7e]/g, '').slice(0, TYPE_UNITS_MAX);
}

/** The name of the stored body, how many of its bytes are stored, and what cancels the work. */
export interface PageOptions {
  name: string;
  bytesMax: number;
  signal: AbortSignal;
}

/** The blocks of a response: one line of facts, then the page as text, or as an image. */
export async function pageBlocks(page: FetchedPage, stored: PageOptions): Promise<Block[]> {
  const image = imageFacts(page.body);
  if (image !== null) {
    const isStored = page.body.length <= stored.bytesMax;
    const problem = isStored ? imageProblem(image, page.body.length) : 'it is too large to be stored whole';
    const { media_type, width, height } = image;
    const facts = `${heading(page)}\n[image of ${width}×${height} pixels${problem === null ? '' : `: ${problem}`}]`;
    const text: Block = { type: 'text', text: facts };
    const sha256 = sha256Of([page.body]);
    return problem === null ? [text, { type: 'image', sha256, media_type, width, height }] : [text];
  }
  const { url, body, headers } = page;
  const response = { url: url.href, body, contentType: headers['content-type'] ?? '' };
  const text = await pageText(response, stored.signal);
  if (text === null) return [{ type: 'text', text: `${heading(page)}\n[binary: not shown]` }];
  return [{ type: 'text', text: `${heading(page)}\n\n${excerpt(text, stored.name)}`.trimEnd() }];
}

/** A response body and its media type. */
export interface PageBytes {
  url: string;
  body: Buffer;
  contentType: string;
}

/** The page as text; null for binary content. */
export async function pageText({ url, body, contentType }: PageBytes, signal: AbortSignal): Promise<string | null> {
  const type = typeIn(contentType);
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type) || (type === '' && looksLikeHtml(body));
  const isUtf16 = /utf-?16/i.test(contentType) || [0xfeff, 0xfffe].includes(body.length < 2 ? 0 : body.readUInt16BE(0));
  if (isBinary(body) && !isUtf16 && !/^text\//.test(type)) return null;
  if (body.subarray(0, 8_192).includes(0) && !isUtf16) return null;
  const text = decodePage(body, contentType, isHtml);
  if (!isHtml) return text;
  const content = await htmlText(text, { url, signal });
  return content.title === '' ? content.text : `${content.title}\n\n${content.text}`;
}

function looksLikeHtml(body: Buffer): boolean {
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(body.toString('latin1', 0, 1_024));
}

function heading(page: FetchedPage): string {
  const { status, url, redirects, body } = page;
  const type = typeOf(page) || 'no type stated';
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
