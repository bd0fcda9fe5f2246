import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '../../hub/base/is_within.js';
import type { MachinePaths } from '../../tools/base/tool_parts.js';

const SWAPPER = fileURLToPath(new URL('swapper.mjs', import.meta.url));

/** A project in which names lead now to a file or folder of its own, now out of it. */
export interface SwappedProject {
  project: string;
  /** What the links lead to. */
  secret: string;
  machine: MachinePaths;
  /** Files that are swapped themselves, or lie in folders that are. */
  files: string[];
}

/** Runs an attack while another process exchanges what a project's files and folders are with links to secrets. */
export async function withSwaps(use: (places: SwappedProject) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'swaps-')));
  const project = join(folder, 'project');
  const secret = join(folder, 'secret');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const skill = (text: string) => `---\nname: ${text}\ndescription: ${text}\n---\n`;
  for (const [top, text] of [
    [project, 'harmless'],
    [secret, 'SECRET'],
  ] as const) {
    put(join(top, 'AGENTS.md'), text);
    put(join(top, 'place', 'CLAUDE.md'), text);
    put(join(top, '.cognition', 'plan.md'), text);
    put(join(top, '.claude', 'skills', text, 'SKILL.md'), skill(text));
  }
  const swapped = ['AGENTS.md', 'place', '.cognition/plan.md', '.claude'].map((name) => join(project, name));
  for (const name of swapped) symlinkSync(join(secret, name.slice(project.length + 1)), `${name}.other`);
  const swapper = spawn(process.execPath, [SWAPPER, ...swapped], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(swapper, 'exit');
  await once(swapper.stdout, 'data');
  const machine = { userHome: join(folder, 'person'), cognitionHome: join(folder, 'home'), commands: '', path: '' };
  const files = ['AGENTS.md', 'place/CLAUDE.md', '.cognition/plan.md'].map((name) => join(project, name));
  try {
    await use({ project, secret, machine, files });
  } finally {
    swapper.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The usual way, which was ours: look where the path leads, then open that. */
export async function readNaively(path: string, within: string): Promise<string> {
  try {
    const real = await realpath(path);
    if (!isWithin(real, within)) return 'refused';
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return 'absent'; // between two renames there is nothing of that name
  }
}
