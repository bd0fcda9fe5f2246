import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { environment, temporaryFolder } from '../../../hub/config/config.js';
import { NODE_BYTES_MAX } from '../../../hub/protocol/limits.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';
import type { Terminal } from '../terminal/terminal.js';

/** Opens the text in the person's own editor; null when that fails. */
export async function writtenOutside(terminal: Terminal, text: string): Promise<string | null> {
  const folder = mkdtempSync(join(temporaryFolder(), 'cognition-'));
  const path = join(folder, 'message.md');
  try {
    writeFileSync(path, text, { mode: 0o600 });
    return (await editFile(terminal, path)) ? written(path) : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a file in the person's own editor; false when that fails. */
export async function editFile(terminal: Terminal, path: string): Promise<boolean> {
  const editor = [environment('VISUAL'), environment('EDITOR')].find((one) => one !== undefined && one !== '') ?? 'vi';
  // The variable may hold options, as a shell reads them.
  return (await terminal.runChild('sh', ['-c', `${editor} "$1"`, 'sh', path], {})) === 0;
}

function written(path: string): string {
  const { size } = statSync(path);
  if (size > NODE_BYTES_MAX) {
    throw new HubError(
      'limit',
      `${formatBytes(size)} were written, and a message may have ${formatBytes(NODE_BYTES_MAX)}`,
    );
  }
  return readFileSync(path, 'utf8').replace(/\n$/, '');
}
