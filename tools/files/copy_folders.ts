import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { HubLink } from '../base/tool_parts.js';
import { gitFoldersOf } from '../sandbox/linked_git.js';
import { attempt } from '../walk/pinned_folder.js';
import type { ProjectWorkers, StoredProject } from './project_workers.js';
import { readRegular } from './scan/read_entry.js';

/** Each is as large as the project. */
const COPIES_MAX = 24;
const COPIES_BYTES_MAX = 20 * 1024 ** 3;
const GIT_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Makes the folder of a copy, unless there are too many copies of the project. */
export async function makeCopyFolder(
  hub: HubLink,
  workers: ProjectWorkers,
  { project, copy }: { project: StoredProject; copy: StoredProject },
): Promise<void> {
  await refuseMany(hub, workers, project);
  mkdirSync(copy.path, { recursive: true, mode: 0o700 });
  markRepository(project.path, copy.path);
}

/** Copies installed packages into a new copy; returns what a person is told of those that it lacks. */
export async function copyPackagesOf(workers: ProjectWorkers, copy: StoredProject): Promise<string[]> {
  const { unshared } = await workers.ask(copy, { kind: 'packages' });
  return unshared.map((path) => {
    const how = path.includes('/') ? 'not in the copy' : 'read-only in the copy';
    return `${path} is ${how}: packages over 20,000 files or 300 MB are not copied`;
  });
}

async function refuseMany(hub: HubLink, workers: ProjectWorkers, { id, path }: StoredProject): Promise<void> {
  const { copies } = await hub.call('loom.copy_list', {});
  const folders = copies.filter(({ folder }) => folder === id).map(({ turn }) => workers.copyOf(id, turn).path);
  const there = folders.filter((folder) => existsSync(folder));
  const bytes = there.reduce((sum, folder) => sum + bytesIn(folder), 0);
  if (there.length < COPIES_MAX && bytes < COPIES_BYTES_MAX) return;
  const what = there.length < COPIES_MAX ? `copies of ${path} with 20 GiB` : `${COPIES_MAX} copies of ${path}`;
  throw new HubError('limit', `there are ${what} already`, {
    hint: ['remove what is not needed: ', cliCommand('files copies', '--remove', '<copy>')],
  });
}

/** Makes a folder a repository for who looks at its rules: with the index, which says what counts though a rule ignores it. */
function markRepository(project: string, copy: string): void {
  const git = gitFoldersOf(project);
  if (git === null || attempt(() => lstatSync(join(project, '.git')))?.isDirectory() !== true) return;
  for (const name of ['objects', 'refs']) mkdirSync(join(copy, '.git', name), { recursive: true, mode: 0o700 });
  for (const name of ['HEAD', 'index']) {
    const read = readRegular(`${git.own}/${name}`, GIT_FILE_BYTES_MAX);
    if (read?.kind === 'read') writeFileSync(join(copy, '.git', name), read.bytes, { mode: 0o600 });
  }
}

/** The bytes of all files in a folder. */
export function bytesIn(folder: string): number {
  const names = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  let bytes = 0;
  for (const entry of names) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesIn(path) : (attempt(() => lstatSync(path))?.size ?? 0);
  }
  return bytes;
}
