import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A folder for a search path with programs that stand for those of agents. */
export function agentBin(...names: ('claude' | 'codex')[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-agents-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL('.', import.meta.url)), folder, { recursive: true });
  for (const name of names) {
    const path = join(folder, name);
    writeFileSync(path, `#!/usr/bin/env node\nimport('./${name}.mjs');\n`);
    chmodSync(path, 0o755);
  }
  return folder;
}

/** The search path with these programs before all others. */
export function pathWith(bin: string): string {
  return `${bin}:${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
}
