// npm run docs: writes what is generated from the source, and what the commands in the documents print.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from '../cli/command_table.js';
import { corrected, openConsole } from '../test/docs/console.js';
import { SCREENS } from '../test/docs/screens.js';
import { killHub } from '../test/support/hub.js';
import { commandsPage } from './commands_page.js';
import { protocolPage } from './protocol_page.js';

const root = fileURLToPath(new URL('..', import.meta.url));
writeFileSync(join(root, 'docs/protocol.md'), protocolPage());
writeFileSync(join(root, 'docs/commands.md'), commandsPage(COMMANDS));
for (const { name, isMade, shown, make } of SCREENS) {
  if (!isMade) console.error(`left as it is, for what draws it is not installed: ${name}`);
  else {
    const { words, write } = await make();
    // What agrees is left alone: its pixels and ids differ each time.
    if (words.join('\n') !== shown().join('\n')) write();
  }
}
for (const name of ['README.md', ...readdirSync(join(root, 'docs/guide')).map((guide) => `docs/guide/${guide}`)]) {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-docs-'));
  const text = readFileSync(join(root, name), 'utf8');
  writeFileSync(join(root, name), corrected(text, openConsole(folder)));
  await killHub(join(folder, 'home'));
  // What the hub has started may still write.
  await rm(folder, { recursive: true, maxRetries: 10 });
}
