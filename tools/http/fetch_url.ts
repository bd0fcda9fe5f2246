import { HubError } from '../../hub/base/error.js';
import type { CallContext } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Handle } from '../../hub/protocol/node.js';
import { beginCall, storeOutcome } from '../base/outcome.js';
import { sha256Of } from '../base/sha256.js';
import type { ToolParts } from '../base/tool_parts.js';
import { charsetIn } from './charset.js';
import { type FetchedPage, fetchPage } from './fetch_page.js';
import type { Network } from './network.js';
import { pageBlocks, typeOf } from './page_blocks.js';
import { shownUrl } from './url_rules.js';

/** The version of the handles' metadata. */
export const SOURCE_VERSION = '1.0.0';
/** The `User-Agent`. */
export const AGENT = 'cognition/1';
const HEADER_UNITS_MAX = 500;

export interface FetchParts {
  parts: ToolParts;
  network: Network;
}

/** Fetches a page and stores its bytes and its text. */
export async function fetchUrl(
  { parts, network }: FetchParts,
  params: ParsedOf<'http.fetch'>,
  { signal }: CallContext,
): Promise<ToolAnswer> {
  const { url, policy, timeout_ms: timeoutMs, bytes_max: bytesMax } = params;
  if (policy.kind === 'contained' && !policy.network) {
    throw new HubError('unauthorised', `${shownUrl(url)} was not fetched: the network is off here`, {
      hint: 'ask the person to fetch it, or to allow the network',
    });
  }
  const startedAtMs = parts.clock();
  const call = await beginCall(parts, params);
  const allowed = parts.config.httpAllowed();
  const page = await fetchPage(network, { url, timeoutMs, bytesMax, allowed, agent: AGENT, signal });
  const keptBytesMax = parts.config.outputBytesMax();
  const blocks = await pageBlocks(page, { name: `output:${call.id}`, bytesMax: keptBytesMax, signal });
  return storeOutcome(parts.hub, call, {
    ...{ tool: 'fetch', input: { url }, handle: handleOf(page, url, parts.clock()) },
    output: page.body.length === 0 ? null : headAndTail(page.body, keptBytesMax),
    blocks,
    ...{ exit_code: null, signal: null, duration_ms: parts.clock() - startedAtMs, cwd: null },
  });
}

function handleOf(page: FetchedPage, requestedUrl: string, nowMs: number): Handle {
  const { url, status, body, headers, redirects } = page;
  return {
    source: 'http',
    source_version: SOURCE_VERSION,
    identifier: url.href.slice(0, 4_096),
    metadata: {
      url: requestedUrl,
      status,
      content_type: typeOf(page),
      charset: charsetIn(headers['content-type'] ?? ''),
      bytes: body.length,
      sha256: sha256Of([body]),
      fetched_at_ms: nowMs,
      etag: headers.etag?.slice(0, HEADER_UNITS_MAX) ?? null,
      last_modified: headers['last-modified']?.slice(0, HEADER_UNITS_MAX) ?? null,
      redirects,
    },
  };
}

function headAndTail(body: Buffer, keptBytesMax: number): { pieces: Buffer[]; totalBytes: number } {
  const half = Math.floor(keptBytesMax / 2);
  const isWhole = body.length <= keptBytesMax;
  return {
    pieces: isWhole ? [body] : [body.subarray(0, half), body.subarray(body.length - half)],
    totalBytes: body.length,
  };
}
