import { HubError } from '../../base/error.js';
import {
  cloudOf,
  findProvider,
  PROVIDER_RECORDS,
  type ProviderRecord,
  type ProviderServer,
  SERVER_KINDS,
  SERVER_NAME,
} from '../../base/provider_records.js';
import type { Access } from '../../protocol/turn.js';

type Entry = Access[string];

/** All providers for a call: those of the table, and the servers of the caller's own. */
export function recordsWith(access: Access): readonly ProviderRecord[] {
  const own = Object.entries(access).flatMap(([name, entry]) => ownRecord(name, entry) ?? []);
  return [...PROVIDER_RECORDS.map((record) => withKeySource(record, access[record.name])), ...own];
}

/** A server of one's own differs from the one that it speaks like by its name, its address and its prices. */
function ownRecord(name: string, { kind, key_from, models }: Entry): ProviderRecord | null {
  if (kind === null || findProvider(name) !== null || !SERVER_NAME.test(name)) return null;
  const like = findProvider(kind);
  if (like === null || like.server === null) {
    throw new HubError('invalid_params', `the server ${name} is of the kind ${kind}, which is not known`, {
      hint: `there are: ${SERVER_KINDS.join(', ')}`,
    });
  }
  const [model] = models;
  const place = { address: null, addressVariable: `server.${name}.base_url`, takesBareHost: false };
  const isCloud = cloudOf(like) !== null;
  const own = isCloud ? {} : ({ needsKey: 'never', hints: NO_HINTS } as const);
  const server: ProviderServer = { ...like.server, ...place, ...own };
  return {
    ...{ name, defaultModel: model === undefined ? null : `${name}/${model}`, aliases: {}, modelNames: null },
    // Another account of the same cloud pays the same.
    prices: isCloud ? like.prices : { kind: 'unknown' },
    ...{ cache: like.cache, server: keyed(server, key_from) },
  };
}

const NO_HINTS = { notRunning: null, noModel: null };

function withKeySource(record: ProviderRecord, entry: Entry | undefined): ProviderRecord {
  return record.server === null || entry === undefined
    ? record
    : { ...record, server: keyed(record.server, entry.key_from) };
}

/** A server that needs a key from where the caller says. */
function keyed(server: ProviderServer, key_from: string | null): ProviderServer {
  return key_from === null ? server : { ...server, needsKey: 'always', keyVariable: key_from };
}
