import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { CallContext } from '../../../hub/base/plugin.js';
import type { ParsedOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { createFolderCache } from '../../walk/folder_cache.js';
import { GENERATED_FOLDERS } from '../../walk/generated_folders.js';
import { ownIgnoreFile } from '../../walk/own_ignore_file.js';
import { attempt, pin, unpin } from '../../walk/pinned_folder.js';
import { repositoryTop } from '../../walk/repository_top.js';
import { type WalkedFolder, walkFolder } from '../../walk/walk_folder.js';

// More files cannot be found by typing.
const PATHS_MAX = 200_000;
const TIME_MS_MAX = 20_000;
const PATHS_PER_EVENT = 4_000;
/** How long other calls wait at most. */
const SLICE_MS = 8;
// Names with control characters or invalid UTF-8 cannot be typed.
const UNWRITABLE = /[\p{Cc}\ufffd]/u;

type Params = ParsedOf<'file.project_list'>;
type Result = ResultOf<'file.project_list'>;

/** Lists the files of a project for a person who types a name. */
export function createProjectList({
  clock,
  machine,
}: ToolParts): (params: Params, context: CallContext) => Promise<Result> {
  const known = createFolderCache(clock);
  return async ({ folder }, context) => {
    const real = attempt(() => realpathSync.native(folder));
    if (real === null) return { count: 0, is_whole: true };
    const top = repositoryTop(real);
    const entry = pin(top);
    if (entry === null) return { count: 0, is_whole: true };
    const start = bytesOf(relative(top, real)).split('/');
    const options = {
      ownIgnoreFile: ownIgnoreFile(machine.userHome),
      skipped: GENERATED_FOLDERS,
      known,
      skip: () => null,
    };
    try {
      return await sendFiles(walkFolder(entry, { ...options, start: start[0] === '' ? [] : start }), context);
    } finally {
      unpin(entry);
    }
  };
}

async function sendFiles(steps: Iterable<WalkedFolder | null>, context: CallContext): Promise<Result> {
  const startedAtMs = performance.now();
  let sliceAtMs = startedAtMs;
  let count = 0;
  let paths: string[] = [];
  const send = async (): Promise<void> => {
    if (paths.length > 0) context.emit({ kind: 'files_found', paths });
    paths = [];
    if (!context.hasRoom()) await context.drained();
  };
  for (const step of steps) {
    const found = step === null ? [] : pathsIn(step).slice(0, PATHS_MAX - count);
    for (const path of found) paths.push(path);
    count += found.length;
    if (paths.length >= PATHS_PER_EVENT) await send();
    if (performance.now() - sliceAtMs > SLICE_MS) {
      await otherWork();
      sliceAtMs = performance.now();
    }
    if (context.signal.aborted || count >= PATHS_MAX || sliceAtMs - startedAtMs > TIME_MS_MAX) {
      await send();
      return { count, is_whole: false };
    }
  }
  await send();
  return { count, is_whole: true };
}

function pathsIn({ names, files, links }: WalkedFolder): string[] {
  const folder = names.length === 0 ? '' : `${names.join('/')}/`;
  return [...files, ...links].map((name) => textOf(folder + name)).filter((path) => !UNWRITABLE.test(path));
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function textOf(bytes: string): string {
  // Almost all names are plain.
  return /^[ -~]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}
