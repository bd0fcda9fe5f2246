import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../../hub/config.js';
import type { Terminal } from '../terminal/terminal.js';

/** Lets the person write in their own editor; null when it ended with a failure, and the text stays as it was. */
export async function writtenOutside(terminal: Terminal, text: string): Promise<string | null> {
  const editor = environment('VISUAL') ?? environment('EDITOR') ?? 'vi';
  const folder = mkdtempSync(join(tmpdir(), 'cognition-'));
  const path = join(folder, 'message.md');
  try {
    writeFileSync(path, text, { mode: 0o600 });
    // The variable may hold options, as a shell reads them.
    const code = await terminal.runChild('sh', ['-c', `${editor} "$1"`, 'sh', path], {});
    return code === 0 ? readFileSync(path, 'utf8').replace(/\n$/, '') : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
