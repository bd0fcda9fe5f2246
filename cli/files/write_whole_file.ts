import { rmSync, statSync } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { reasonOf } from '../output/failure.js';
import type { Sink } from '../output/sink.js';

/** Writes a file whole or not at all: it appears under its name when the work has succeeded. */
export async function intoFile(target: string, force: boolean, work: (sink: Sink) => Promise<void>): Promise<void> {
  const path = resolve(target);
  const there = target === '' ? statSync('.') : statSync(path, { throwIfNoEntry: false });
  // A device would be replaced by a file, for everybody.
  if (there !== undefined && !there.isFile()) throw notOrdinary(target);
  if (!force && there !== undefined) throw alreadyThere(target);
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  // Conversations may hold secrets: nobody else reads them unless the person says so.
  const file = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw new HubError('invalid_params', `${target} cannot be written: ${reasonOf(error).split(',')[0]}`, {
      cause: error,
    });
  });
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
  } finally {
    await file.close();
    discard();
    process.off('exit', discard);
  }
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
