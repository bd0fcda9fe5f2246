import { basename, dirname, join } from 'node:path';
import { readSmallFile } from './read_small_file.js';

const FILE_BYTES_MAX = 32_768;
const FOLDERS_MAX = 32;
/** In each folder the first of these counts. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'];

/** The folders that may hold instructions and skills. */
export interface InstructionFolders {
  /** The real path of the project. */
  project: string;
  /** The real path of the working folder: the project, or one below it. */
  cwd: string;
  /** The folder of the person's own instructions. */
  home: string;
  /** The person's home folder, where other programs keep skills. */
  userHome: string;
  /** Called with the path of each instruction file that was read, in their order. */
  onRead(path: string): void;
}

const HEAD = '# Instructions from ';

/** The files whose instructions stand in a system prompt. */
export function instructionsIn(systemPrompt: string): string[] {
  const lines = systemPrompt.split('\n').filter((line) => line.startsWith(HEAD));
  // A file may contain such a line itself: only names that can have been read count.
  return lines.map((line) => line.slice(HEAD.length)).filter((path) => NAMES.includes(basename(path)));
}

/** The instruction files that a first turn would read. */
export async function instructionFiles(folders: Omit<InstructionFolders, 'onRead'>): Promise<string[]> {
  const files: string[] = [];
  await readInstructions({ ...folders, onRead: (path) => void files.push(path) });
  return files;
}

/** The instructions of the person, then those of the project from its top down to the working folder; empty for none. */
export async function readInstructions({ project, cwd, home, onRead }: InstructionFolders): Promise<string> {
  const own = await firstIn(home, null);
  const below = await Promise.all(foldersDown(project, cwd).map((folder) => firstIn(folder, project)));
  const files = [own, ...below].filter((one) => one !== null);
  for (const { path } of files) onRead(path);
  return files.map(({ path, text }) => `${HEAD}${path}\n\n${text}`).join('\n\n');
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
