import { readdirSync, rmSync, statSync } from 'node:fs';
import { link, open, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncFile } from '../../hub/base/disk/durable_file.js';
import { withHeldFolder } from '../../hub/base/disk/held_folder.js';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { reasonOf } from '../output/failure.js';
import type { Sink } from '../output/sink.js';
import { isAlive } from './process_alive.js';

/** Where a file is written. */
interface Target {
  /** Whether one that is there is replaced. */
  force: boolean;
  /** The project: no link in it may lead out of it. */
  project: string;
}

/** Writes a file whole or not at all: it appears under its name when the work has succeeded. */
export async function intoFile(
  target: string,
  { force, project }: Target,
  work: (sink: Sink) => Promise<void>,
): Promise<void> {
  if (target === '') throw notOrdinary(target);
  const path = resolve(target);
  const named = dirname(path);
  const folder = await realpath(named).catch((error: unknown) => Promise.reject(notWritable(target, error)));
  if (isWithin(named, project) && !isWithin(folder, project)) {
    throw new HubError('unauthorised', `a link in the project leads ${target} out of it`, {
      hint: `if you mean that, name it: ${join(folder, basename(path))}`,
    });
  }
  // What is above the folder may be exchanged while the work goes on.
  await withHeldFolder(folder, (at) => writeWhole(join(at, basename(path)), { target, force }, work));
}

async function writeWhole(
  path: string,
  { target, force }: { target: string; force: boolean },
  work: (sink: Sink) => Promise<void>,
): Promise<void> {
  const there = statSync(path, { throwIfNoEntry: false });
  // A device would be replaced by a file, for everybody.
  if (there !== undefined && !there.isFile()) throw notOrdinary(target);
  if (!force && there !== undefined) throw alreadyThere(target);
  removeDrafts(path);
  const draft = draftOf(path, process.pid);
  // Conversations may hold secrets: nobody else reads them unless the person says so.
  const file = await open(draft, 'wx', 0o600).catch((error: unknown) => Promise.reject(notWritable(target, error)));
  const discard = (): void => rmSync(draft, { force: true });
  process.once('exit', discard);
  try {
    await work({
      write: async (text) => {
        await file.writeFile(text);
      },
      end: async () => undefined,
    });
    await file.sync();
    if (force) await rename(draft, path);
    // Unlike rename, link refuses a name that somebody has taken meanwhile.
    else
      await link(draft, path).catch((error: unknown) =>
        Promise.reject(errnoOf(error) === 'EEXIST' ? alreadyThere(target) : error),
      );
    syncFile(dirname(path));
  } finally {
    await file.close();
    discard();
    process.off('exit', discard);
  }
}

function draftOf(path: string, pid: number): string {
  return join(dirname(path), `.${basename(path)}.${pid}.part`);
}

/** Removes what killed processes left of the same file. */
function removeDrafts(path: string): void {
  const start = `.${basename(path)}.`;
  for (const name of readdirSync(dirname(path)).filter((one) => one.startsWith(start))) {
    const [, pid = ''] = /^(\d+)\.part$/.exec(name.slice(start.length)) ?? [];
    if (pid !== '' && !isAlive(Number(pid))) rmSync(draftOf(path, Number(pid)), { force: true });
  }
}

function notWritable(target: string, error: unknown): HubError {
  return new HubError('invalid_params', `${target} cannot be written: ${reasonOf(error).split(',')[0]}`, {
    cause: error,
  });
}

function notOrdinary(target: string): HubError {
  return new HubError('invalid_params', `${JSON.stringify(target)} is not an ordinary file`, {
    hint: 'choose the name of a file',
  });
}

function alreadyThere(target: string): HubError {
  return new HubError('conflict', `${target} is there already`, {
    hint: 'replace it with --force, or choose another name',
  });
}
