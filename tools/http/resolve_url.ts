import { HubError } from '../../hub/base/error.js';
import { shortened } from '../../hub/base/head_and_tail.js';
import type { CallContext, Resolved, Resolving } from '../../hub/base/plugin.js';
import type { Handle, Output } from '../../hub/protocol/node.js';
import { sha256Of } from '../base/sha256.js';
import { changeOf, storedBytes } from '../base/text_changes.js';
import { fetchPage } from './fetch_page.js';
import { AGENT, type FetchParts } from './fetch_url.js';
import { type PageBytes, pageText } from './page_blocks.js';
import { shownUrl } from './url_rules.js';

const FRESH = { timeoutMs: 30_000, bytesMax: 10_485_760 };
/** Of a larger body only the beginning is rendered. */
const READ_BYTES_MAX = 10_485_760;

/** Resolves a handle to the text of its page: as stored or, with `fresh`, as it is now and how it has changed. */
export async function resolveUrl(
  fetchParts: FetchParts,
  request: Resolving,
  { signal }: CallContext,
): Promise<Resolved> {
  const { handle, output, fresh, bytes_max } = request;
  if (fresh) return fetchAgain(fetchParts, request, signal);
  if (output === null) throw new HubError('resolve_failed', 'the answer had no body');
  const page = await storedPage(fetchParts, { handle, output });
  const text = await readable(page, signal);
  const rest = output.total_bytes - page.body.length;
  const more = rest === 0 ? '' : `\n[the page goes on: ${rest.toLocaleString('en')} bytes of it were not read]`;
  return { ...cut(text + more, bytes_max), changed: null };
}

async function storedPage(
  { parts }: FetchParts,
  { handle, output }: { handle: Handle; output: Output },
): Promise<PageBytes> {
  const { content_type, charset } = Object(handle.metadata);
  const type = typeof content_type === 'string' ? content_type : '';
  // Of a body that was not stored whole, the first half is the beginning.
  const isWhole = output.size_bytes === output.total_bytes;
  const bytesMax = isWhole ? READ_BYTES_MAX : Math.min(READ_BYTES_MAX, Math.floor(output.size_bytes / 2));
  return {
    url: handle.identifier,
    body: await storedBytes(parts.hub, output, { from: 0, to: bytesMax }),
    contentType: typeof charset === 'string' ? `${type}; charset=${charset}` : type,
  };
}

async function fetchAgain(
  { parts, network }: FetchParts,
  { handle, output, bytes_max }: Resolving,
  signal: AbortSignal,
): Promise<Resolved> {
  const { url, status } = Object(handle.metadata);
  const allowed = parts.config.httpAllowed();
  const request = { url: typeof url === 'string' ? url : handle.identifier, ...FRESH, allowed, agent: AGENT, signal };
  const now = await fetchPage(network, request);
  const changes: string[] = [];
  if (status !== now.status) changes.push(`the status is ${now.status} instead of ${String(status)}`);
  if (now.url.href.slice(0, 4_096) !== handle.identifier) changes.push(`it leads to ${shownUrl(now.url.href)} now`);
  const { body } = now;
  const content = await changeOf(parts.hub, output, { bytes: body, totalBytes: body.length, sha256: sha256Of([body]) });
  if (content !== null) changes.push(content);
  const page = { url: now.url.href, body, contentType: now.headers['content-type'] ?? '' };
  return { ...cut(await readable(page, signal), bytes_max), changed: changes.length === 0 ? null : changes.join('; ') };
}

async function readable(page: PageBytes, signal: AbortSignal): Promise<string> {
  const { body, contentType } = page;
  return (await pageText(page, signal)) ?? `[${contentType || 'no type stated'}, ${body.length} bytes: not shown]`;
}

function cut(whole: string, bytesMax: number): Omit<Resolved, 'changed'> {
  const { text, leftOutBytes } = shortened(whole, bytesMax);
  return { text, total_bytes: Buffer.byteLength(whole), left_out_bytes: leftOutBytes };
}
