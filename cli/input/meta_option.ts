import { HubError } from '../../hub/base/error.js';
import type { NodeMeta } from '../../hub/protocol/node.js';

const HINT = '--meta run=42,kind=review, or JSON: --meta \'{"note": "a, b"}\'';

/** What a program says of a node, from `key=value,key=value` or JSON; null where nothing is given. */
export function metaFrom(text: string | undefined): NodeMeta | null {
  if (text === undefined) return null;
  if (text.trim().startsWith('{')) return parsed(text);
  return Object.fromEntries(
    text.split(',').map((pair): [string, string | number | boolean] => {
      const at = pair.indexOf('=');
      if (at < 1) throw refused(`--meta takes key=value, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), plainValue(pair.slice(at + 1))];
    }),
  );
}

function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

function parsed(text: string): NodeMeta {
  try {
    const meta: NodeMeta = JSON.parse(text); // the hub refuses what is none
    return meta;
  } catch (error) {
    throw refused(`--meta is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refused(message: string): HubError {
  return new HubError('invalid_params', message, { hint: HINT });
}
