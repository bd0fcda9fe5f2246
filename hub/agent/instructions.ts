import { dirname, join } from 'node:path';
import { readSmallFile } from './small_file.js';

const FILE_BYTES_MAX = 32_768;
const FOLDERS_MAX = 32;
/** In each folder the first of these that is there counts. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'];

/** Where instructions and skills are looked for. */
export interface InstructionPlaces {
  /** The real path of the project. */
  project: string;
  /** The real path of the folder that is worked in: the project, or one below it. */
  cwd: string;
  /** Where the person keeps their own. */
  home: string;
  /** The person's home folder, where other programs keep skills, too. */
  userHome: string;
  /** Is told the path of each file of instructions that was read, in their order. */
  onRead(path: string): void;
}

/** The instructions of the person, then those of the project from its top down to the working folder; empty for none. */
export async function readInstructions({ project, cwd, home, onRead }: InstructionPlaces): Promise<string> {
  const own = await firstIn(home, null);
  const below = await Promise.all(foldersDown(project, cwd).map((folder) => firstIn(folder, project)));
  const found = [own, ...below].filter((one) => one !== null);
  for (const { path } of found) onRead(path);
  return found.map(({ path, text }) => `# Instructions from ${path}\n\n${text}`).join('\n\n');
}

async function firstIn(folder: string, within: string | null): Promise<{ path: string; text: string } | null> {
  for (const name of NAMES) {
    const path = join(folder, name);
    const text = (await readSmallFile(path, FILE_BYTES_MAX, within))?.trim();
    if (text !== undefined && text !== '') return { path, text };
  }
  return null;
}

function foldersDown(top: string, bottom: string): string[] {
  const folders = [bottom];
  for (let at = bottom; at !== top && at !== dirname(at) && folders.length < FOLDERS_MAX; at = dirname(at)) {
    folders.push(dirname(at));
  }
  return folders.reverse();
}
