import { mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sha256, TurnId } from '../../hub/protocol/node.js';
import type { MachinePaths } from '../base/tool_parts.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import type { Mount } from '../sandbox/mounts.js';
import { identityOf, identityOfPath } from '../walk/folder_identity.js';
import { ownIgnoreFile } from '../walk/own_ignore_file.js';
import { repositoryTop } from '../walk/repository_top.js';
import type { WorkerCommand } from './worker_process.js';

export interface WorkerParts {
  machine: MachinePaths;
  sandbox: Sandbox;
}

const PROGRAM = fileURLToPath(new URL('./files_worker.js', import.meta.url));
const INSIDE = '/run/cognition';
/**
 * A small young generation: with the usual one the process has 40 MB more, and is no faster. It is collected by one thread: waiting for
 * others takes longer where they have other work.
 */
export const WORKER_FLAGS = ['--max-semi-space-size=2', '--single-threaded-gc'];

/** What to start for a project, whose folder in the store it names: in the sandbox it sees the project and its store, the system read-only, and no network. */
export async function workerCommand(
  { machine, sandbox }: WorkerParts,
  id: Sha256,
  at: { path: string; copy: TurnId | null; from: string | null } | null,
): Promise<WorkerCommand & { folder: string }> {
  const store = join(machine.cognitionHome, 'files', id);
  const tmp = join(store, 'tmp');
  rmSync(tmp, { recursive: true, force: true });
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  const copy = at?.copy ?? null;
  const place = at === null ? null : placeOf(at.path, copy === null ? repositoryTop(at.path) : null);
  const ignore = ownIgnoreFile(machine.userHome)?.toString('base64') ?? null;
  const projectIn = (top: string) =>
    place === null ? null : { top, start: place.start, own_ignore_file: ignore, is: place.is };
  // What is mounted is looked up by its name again: the worker compares.
  const origin = { from: at?.from ?? null, from_is: at?.from == null ? null : identityOfPath(at.from) };
  const { kind } = await sandbox.report();
  if (kind === 'none' || kind === 'sandbox-exec') {
    const start = { store, copy, ...origin, project: projectIn(place?.top ?? '') };
    return {
      folder: store,
      program: process.execPath,
      arguments: [...WORKER_FLAGS, PROGRAM],
      start,
      release: () => undefined,
    };
  }
  const { from } = origin;
  const wrapped = await sandbox.wrap({
    ...{ program: `${INSIDE}/node`, arguments: [...WORKER_FLAGS, `${INSIDE}/files_worker.mjs`], cwd: '/tmp', tmp },
    policy: { kind: 'contained', network: false, writable: [], readable: [] },
    mounts: [
      shown('node', { source: realpathSync(process.execPath), isFolder: false, writable: false }),
      shown('files_worker.mjs', { source: PROGRAM, isFolder: false, writable: false }),
      shown('store', { source: store, isFolder: true, writable: true }),
      ...(place?.mounts ?? []),
      ...(from === null ? [] : [shown('from', { source: from, isFolder: true, writable: false })]),
    ],
  });
  const inside = { store: `${INSIDE}/store`, copy, ...origin, from: from === null ? null : `${INSIDE}/from` };
  return { ...wrapped, folder: store, start: { ...inside, project: projectIn(`${INSIDE}/top`) } };
}

interface ProjectPlace {
  top: string;
  start: string[];
  mounts: Mount[];
  is: { top: string; project: string };
}

/** Where a project lies in its repository, of which nothing else may be written; a copy in none. */
function placeOf(path: string, repository: string | null): ProjectPlace {
  const top = repository ?? path;
  // A copy lies in our own folder, whatever leads there.
  const identity = repository === null ? (folder: string) => identityOf(statSync(folder)) : identityOfPath;
  const is = { top: identity(top), project: identity(path) };
  const below = relative(top, path);
  const whole = shown('top', { source: top, isFolder: true, writable: below === '' });
  if (below === '') return { top, start: [], mounts: [whole], is };
  const mounts = [whole, shown(`top/${below}`, { source: path, isFolder: true, writable: true })];
  return { top, start: Buffer.from(below).toString('latin1').split('/'), mounts, is };
}

function shown(name: string, what: { source: string; isFolder: boolean; writable: boolean }): Mount {
  return { kind: 'bind', path: `${INSIDE}/${name}`, ...what };
}
