import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { killHub } from '../support/hub.js';
import { agrees, openConsole, shownCommands } from './console.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);

test.each(['README.md', ...guide])('the commands in %s print what it shows', async (document) => {
  const shown = shownCommands(readFileSync(join(root, document), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'cognition-docs-'));
  try {
    const run = openConsole(folder);
    for (const { line, command, output } of shown) {
      const printed = run(command);
      if (agrees(output, printed)) continue;
      expect({ place: `${document}:${line}`, command, printed }).toEqual({
        place: `${document}:${line}`,
        command,
        printed: output,
      });
    }
  } finally {
    await killHub(join(folder, 'home'));
    // What the hub has started may still write.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});
