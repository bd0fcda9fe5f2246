import { constants } from 'node:fs';
import { access, copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { syncPath } from '../outputs/sync_path.js';
import { storageError } from '../store/store.js';
import { fromWorkerError, type WorkerError } from '../store/worker_error.js';
import { onThreadExit, THREAD_LIMITS } from './pending_calls.js';

/** The start options of the copying thread. */
export interface CopyOptions {
  database: string;
  copy: string;
  /** The epoch of the copy. */
  epoch: string;
}

/** The result of the copying thread. */
export type CopyOutcome = { copied: true } | { failed: WorkerError };

interface BackupOptions extends CopyOptions {
  outputs: string;
  files: string;
  entry: URL;
}

interface BackupReport {
  path: string;
  size_bytes: number;
  outputs: number;
  packs: number;
}

/**
 * Copies the database as of one moment, while reads and writes continue, then the stored outputs into `<copy>.outputs` and what is
 * recorded of projects into `<copy>.files`. Both are stored before the rows that name them and never change, so the copy has all that
 * its nodes need.
 */
export async function backup(options: BackupOptions): Promise<BackupReport> {
  const { copy, database, epoch } = options;
  await refuseUnfit(copy);
  // Two backups may write the same file at once: the later one is refused.
  const unfinished = join(dirname(copy), `.${basename(copy)}.${epoch}.unfinished`);
  try {
    await copyDatabase({ database, copy: unfinished, epoch }, options.entry);
    await syncPath(unfinished);
    const outputs = await copyOutputs(options.outputs, `${copy}.outputs`);
    const packs = await copyPacks(options.files, `${copy}.files`);
    await refuseUnfit(copy);
    await rename(unfinished, copy);
    await syncPath(dirname(copy));
    return { path: copy, size_bytes: (await stat(copy)).size, outputs, packs };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error instanceof HubError ? error : storageError(error, copy);
  }
}

async function refuseUnfit(copy: string): Promise<void> {
  const isThere = await stat(copy).then(
    () => true,
    () => false,
  );
  if (isThere) {
    throw new HubError('conflict', `${copy} is there already; a backup overwrites nothing`, {
      hint: 'name a new file',
    });
  }
  await access(dirname(copy), constants.W_OK).catch((error: unknown) => {
    throw new HubError('not_found', `the folder ${dirname(copy)} is not there, or cannot be written`, {
      hint: 'make the folder first',
      cause: error,
    });
  });
}

/** Runs on a thread of its own, since a large database takes seconds. */
function copyDatabase(options: CopyOptions, entry: URL): Promise<void> {
  const thread = new Worker(entry, { workerData: options, resourceLimits: THREAD_LIMITS });
  return new Promise((resolve, reject) => {
    onThreadExit(thread, 'copying', reject);
    thread.once('message', (outcome: CopyOutcome) => {
      if ('failed' in outcome) reject(fromWorkerError(outcome.failed));
      else resolve();
    });
  });
}

async function copyOutputs(from: string, to: string): Promise<number> {
  let count = 0;
  for (const folder of await readdir(from)) {
    const names = await readdir(join(from, folder));
    if (names.length === 0) continue;
    await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    for (const name of names) {
      await copyDurably(join(from, folder, name), join(to, folder, name));
      count += 1;
    }
  }
  return count;
}

const PACK = /^[0-9a-f]{64}$/;

/** Copies the packs of every project. Small ones may become one meanwhile, which is complete before they go. */
async function copyPacks(from: string, to: string): Promise<number> {
  let count = 0;
  for (const project of await packNamesIn(from)) {
    const [packs, copies] = [join(from, project, 'packs'), join(to, project, 'packs')];
    const copied = new Set<string>();
    for (let left = await packNamesIn(packs); left.length > 0; ) {
      await mkdir(copies, { recursive: true, mode: 0o700 });
      for (const name of left) {
        await copyDurably(join(packs, name), join(copies, name)).catch(unlessGone);
        copied.add(name);
      }
      left = (await packNamesIn(packs)).filter((name) => !copied.has(name));
    }
    count += copied.size;
  }
  return count;
}

async function packNamesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(unlessGone)) ?? [];
  return names.filter((name) => PACK.test(name));
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await syncPath(to);
}

function unlessGone(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}
