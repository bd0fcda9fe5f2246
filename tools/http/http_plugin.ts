import type { Plugin } from '../../hub/base/plugin.js';
import type { ToolParts } from '../base/tool_parts.js';
import { fetchUrl, SOURCE_VERSION } from './fetch_url.js';
import { type Network, REAL_NETWORK } from './network.js';
import { resolveUrl } from './resolve_url.js';

/** Fetches pages of the public internet, and of machines that a person has allowed by name. */
export function createHttp(parts: ToolParts, network: Network = REAL_NETWORK): Plugin {
  return {
    name: 'http',
    version: SOURCE_VERSION,
    methods: { 'http.fetch': (params, context) => fetchUrl({ parts, network }, params, context) },
    resolve: (wanted, context) => resolveUrl({ parts, network }, wanted, context),
  };
}
