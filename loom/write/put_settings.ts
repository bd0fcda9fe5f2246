import { createHash } from 'node:crypto';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { canonicalJson } from '../store/canonical_json.js';
import type { WriteOp } from './write_operation.js';

export const putSettings: WriteOp<ParsedOf<'loom.settings_put'>> = (context, { settings }) => {
  const body = canonicalJson(settings);
  const sha256 = createHash('sha256').update(body).digest();
  context.store.run('INSERT INTO settings (sha256, body) VALUES (?, ?) ON CONFLICT DO NOTHING', sha256, body);
  return `{"sha256":"${sha256.toString('hex')}"}`;
};
