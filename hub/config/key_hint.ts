import { nearest } from '../base/nearest_word.js';
import { SERVER_NAME } from '../base/provider_records.js';
import { addressNameRule } from './database_addresses.js';
import { PREFERENCES } from './preference_table.js';
import { serverKeys } from './server_preferences.js';

const NAMED = ['postgres.<name>', 'remote.<name>', 'server.<name>.base_url'];

/** What a key that no preference has was perhaps meant to be. */
export function keyHint(key: string): string {
  const rule = addressNameRule(key);
  if (rule !== null) return rule;
  const [, server] = /^server\.([^.]*)\./.exec(key) ?? [];
  if (server !== undefined && !SERVER_NAME.test(server)) {
    return 'the name of a server has small letters, digits, - and _ only, and begins with a letter';
  }
  const keys = server === undefined ? PREFERENCES.map((preference) => preference.key) : serverKeys(server);
  const near = nearest(key, keys);
  const named = server === undefined ? NAMED : [];
  return near === null ? `known ones: ${[...keys, ...named].join(', ')}` : `did you mean ${near}?`;
}
