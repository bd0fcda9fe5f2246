import { basename, dirname, join } from 'node:path';
import { readSmallFile } from './read_small_file.js';

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

const HEAD = '# Instructions from ';

/** The files that a system prompt of ours has instructions from. */
export function namedInstructions(systemPrompt: string): string[] {
  const lines = systemPrompt.split('\n').filter((line) => line.startsWith(HEAD));
  // A file may have such a line in it, too: only what can have been read is named.
  return lines.map((line) => line.slice(HEAD.length)).filter((path) => NAMES.includes(basename(path)));
}

/** The files that instructions would be read from. */
export async function instructionFiles(places: InstructionPlaces): Promise<string[]> {
  const files: string[] = [];
  await readInstructions({ ...places, onRead: (path) => void files.push(path) });
  return files;
}

/** The instructions of the person, then those of the project from its top down to the working folder; empty for none. */
export async function readInstructions({ project, cwd, home, onRead }: InstructionPlaces): Promise<string> {
  const own = await firstIn(home, null);
  const below = await Promise.all(foldersDown(project, cwd).map((folder) => firstIn(folder, project)));
  const found = [own, ...below].filter((one) => one !== null);
  for (const { path } of found) onRead(path);
  return found.map(({ path, text }) => `${HEAD}${path}\n\n${text}`).join('\n\n');
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
