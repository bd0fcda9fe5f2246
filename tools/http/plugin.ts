import type { Plugin } from '../../hub/plugin.js';
import type { ToolParts } from '../parts.js';
import { fetchUrl, SOURCE_VERSION } from './fetch.js';
import { type Network, REAL_NETWORK } from './network.js';
import { resolveUrl } from './resolving.js';

/** Fetches pages of the public internet, and of machines that a person has allowed by name. */
export function createHttp(parts: ToolParts, network: Network = REAL_NETWORK): Plugin {
  return {
    name: 'http',
    version: SOURCE_VERSION,
    methods: { 'http.fetch': (params, context) => fetchUrl({ parts, network }, params, context) },
    resolve: (wanted, context) => resolveUrl({ parts, network }, wanted, context),
  };
}
