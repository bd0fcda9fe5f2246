import { createHash } from 'node:crypto';
import { HubError } from '../../hub/base/error.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Settings } from '../../hub/protocol/node.js';
import { canonicalJson } from '../store/canonical_json.js';
import { idBlob } from '../store/rows.js';
import type { WriteContext, WriteOp } from './write_operation.js';

export const putSettings: WriteOp<ParsedOf<'loom.settings_put'>> = (context, { settings }) =>
  storeSettings(context, settings, 'made_here');

/** Settings that a file brought count only when a person says so, unless the same were made here. */
export function storeSettings({ store }: WriteContext, settings: Settings, origin: 'made_here' | 'from_file'): string {
  const body = canonicalJson(settings);
  const sha256 = createHash('sha256').update(body).digest();
  const repeated = origin === 'from_file' ? 'NOTHING' : 'UPDATE SET untrusted = 0 WHERE untrusted = 1';
  store.run(
    `INSERT INTO settings (sha256, body, untrusted) VALUES (?, ?, ?) ON CONFLICT (sha256) DO ${repeated}`,
    ...[sha256, body, origin === 'from_file' ? 1 : 0],
  );
  return `{"sha256":"${sha256.toString('hex')}"}`;
}

export const trustSettings: WriteOp<ParsedOf<'loom.settings_trust'>> = ({ store }, { sha256 }) => {
  const changed = store.run('UPDATE settings SET untrusted = 0 WHERE sha256 = ?', idBlob(sha256));
  if (changed === 0) throw new HubError('not_found', `there are no settings ${sha256}`);
  return '{}';
};
