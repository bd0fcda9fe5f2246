import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../../../hub/base/disk/durable_file.js';
import { type HistoryFile, pathOf } from './history_files.js';

/** What was imported already, so that the next import reads only what has changed. */
export interface ImportedFiles {
  has(file: HistoryFile): boolean;
  add(file: HistoryFile): void;
  save(): void;
}

const BYTES_MAX = 256 * 1024 * 1024;

/** Opens the list of imported files. Without a whole list everything is read again, which adds nothing. */
export function openImportedFiles(path: string): ImportedFiles {
  const known = new Map(entriesOf(path));
  return {
    has: (file) => known.get(pathOf(file)) === stateOf(file),
    add(file) {
      known.set(pathOf(file), stateOf(file));
    },
    save: () => replaceFile(path, JSON.stringify(Object.fromEntries(known))),
  };
}

function entriesOf(path: string): [string, string][] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  if (text.length > BYTES_MAX) return [];
  try {
    const entries: [string, unknown][] = Object.entries(Object(JSON.parse(text)));
    return entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  } catch {
    return []; // half a file, or a file of somebody else
  }
}

function stateOf({ sizeBytes, mtimeMs }: HistoryFile): string {
  return `${sizeBytes} ${mtimeMs}`;
}
