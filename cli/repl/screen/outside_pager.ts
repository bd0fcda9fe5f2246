import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../hub/config/config.js';
import { isPager } from '../../output/pager.js';
import type { Terminal } from '../terminal/terminal.js';

/** Shows a text in the person's pager; false where none is installed. */
export async function pageText(terminal: Terminal, text: string, pager: string): Promise<boolean> {
  if (!isPager(pager)) return false;
  const folder = mkdtempSync(join(temporaryFolder(), 'cognition-'));
  const path = join(folder, 'page.txt');
  try {
    writeFileSync(path, text, { mode: 0o600 });
    // The preference may be a command of several words.
    return (await terminal.runChild('sh', ['-c', `{ ${pager}\n} < "$1"`, 'sh', path], {})) === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
