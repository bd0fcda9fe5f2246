import { createHash } from 'node:crypto';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';

/** The text of settings, which must be what their hash says. */
export function checkedSettings({ sha256, body }: { sha256: string; body: string }): string {
  if (createHash('sha256').update(body).digest('hex') === sha256) return body;
  throw new HubError('storage_failed', `the settings ${sha256} are damaged`, {
    hint: [
      'restore a backup, or go on from a node with other settings; what else is damaged says: ',
      cliCommand('fsck'),
    ],
  });
}
