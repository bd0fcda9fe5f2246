import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { normalize } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { attempt, type PinnedEntry, pin, pinIn, unpin } from '../../walk/pinned_folder.js';

// What stands below an agent's home may have been made by the agent: no link is followed there, and nothing is opened.

/** Writes files below an agent's home, by their paths in it. */
export function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    withFolderOf(home, path, ({ at }, name) => {
      const draft = `${at}/.${randomBytes(8).toString('hex')}.draft`;
      writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
      renameSync(draft, `${at}/${name}`);
    });
  }
}

/** Removes files below an agent's home, by their paths in it. */
export function removeHomeFiles(home: string, paths: readonly string[]): void {
  for (const path of paths) {
    withFolderOf(home, path, (folder, name) => {
      const entry = pinIn(folder, name);
      if (entry === null) return;
      unpin(entry);
      if (!entry.stats.isDirectory()) attempt(() => unlinkSync(`${folder.at}/${name}`));
    });
  }
}

/** Makes the folders that a path needs, and pins the last of them. */
function withFolderOf(home: string, path: string, act: (folder: PinnedEntry, name: string) => void): void {
  const names = normalize(path).split('/');
  const last = names.pop() ?? '';
  if ([...names, last].some((name) => name === '' || name === '..')) return;
  let folder = requireFolder(pin(home), home);
  try {
    for (const name of names) {
      const inner = requireFolder(pinOrMake(folder, name), `${home}/${path}`);
      unpin(folder);
      folder = inner;
    }
    act(folder, last);
  } finally {
    unpin(folder);
  }
}

function pinOrMake(folder: PinnedEntry, name: string): PinnedEntry | null {
  const entry = pinIn(folder, name);
  if (entry !== null) return entry;
  mkdirSync(`${folder.at}/${name}`, 0o700);
  return pinIn(folder, name);
}

function requireFolder(entry: PinnedEntry | null, path: string): PinnedEntry {
  if (entry?.stats.isDirectory() === true) return entry;
  if (entry !== null) unpin(entry);
  throw new HubError('conflict', `what an agent keeps at ${path} is behind something that is no folder`, {
    hint: 'the agent may have made it: look at it, and remove it',
  });
}
