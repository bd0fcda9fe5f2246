import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { isBinary } from '../../../hub/base/head_and_tail.js';
import type { CallContext } from '../../../hub/base/plugin.js';
import type { ParsedOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { GENERATED_FOLDERS } from '../../walk/generated_folders.js';
import { ownIgnoreFile } from '../../walk/own_ignore_file.js';
import { attempt, pin, pinIn, readPinned, unpin } from '../../walk/pinned_folder.js';
import { repositoryTop } from '../../walk/repository_top.js';
import { type WalkedFolder, walkFolder } from '../../walk/walk_folder.js';

const FILES_MAX = 200_000;
const TIME_MS_MAX = 20_000;
/** How long other calls wait at most. */
const SLICE_MS = 8;
/** So much of a file tells whether it is text. */
const SAMPLE_BYTES = 1_024;
const BYTES_PER_TOKEN = 4;

type Params = ParsedOf<'file.project_measure'>;
type Result = ResultOf<'file.project_measure'>;

interface Sums extends Omit<Result, 'largest' | 'folders' | 'is_whole'> {
  byFile: Map<string, number>;
  byFolder: Map<string, number>;
}

/** Estimates the tokens of the files that git would list; what is no text counts as none. */
export async function measureProject({ machine }: ToolParts, params: Params, context: CallContext): Promise<Result> {
  const sums: Sums = { files: 0, binary_files: 0, bytes: 0, tokens: 0, byFile: new Map(), byFolder: new Map() };
  const real = attempt(() => realpathSync.native(params.folder));
  const top = real === null ? null : repositoryTop(real);
  const entry = top === null ? null : pin(top);
  if (real === null || top === null || entry === null) return resultOf(sums, params, true);
  const start = Buffer.from(relative(top, real)).toString('latin1').split('/');
  const options = {
    ownIgnoreFile: ownIgnoreFile(machine.userHome),
    skipped: GENERATED_FOLDERS,
    known: null,
    skip: () => null,
  };
  try {
    const folders = walkFolder(entry, { ...options, start: start[0] === '' ? [] : start });
    return resultOf(sums, params, await measureAll(sums, folders, { params, signal: context.signal }));
  } finally {
    unpin(entry);
  }
}

async function measureAll(
  sums: Sums,
  folders: Iterable<WalkedFolder | null>,
  { params, signal }: { params: Params; signal: AbortSignal },
): Promise<boolean> {
  const startedAtMs = performance.now();
  let sliceAtMs = startedAtMs;
  for (const folder of folders) {
    for (const name of folder?.files ?? []) {
      if (folder !== null) measureFile(sums, folder, { name, within: params.paths });
      if (performance.now() - sliceAtMs < SLICE_MS) continue;
      await otherWork();
      sliceAtMs = performance.now();
      if (signal.aborted || sums.files >= FILES_MAX || sliceAtMs - startedAtMs > TIME_MS_MAX) return false;
    }
  }
  return true;
}

function measureFile(
  sums: Sums,
  folder: WalkedFolder,
  { name, within }: { name: string; within: readonly string[] },
): void {
  const names = [...folder.names, name].map((bytes) => Buffer.from(bytes, 'latin1').toString());
  const path = names.join('/');
  if (within.length > 0 && !within.some((one) => path === one || path.startsWith(`${one}/`))) return;
  const file = pinIn(folder.entry, Buffer.from(name, 'latin1'));
  if (file === null) return;
  try {
    const sample = readPinned(file, SAMPLE_BYTES);
    if (sample === null) return;
    sums.files += 1;
    if (isBinary(sample.bytes)) {
      sums.binary_files += 1;
      return;
    }
    addTokens(sums, names, file.stats.size);
  } finally {
    unpin(file);
  }
}

function addTokens(sums: Sums, names: readonly string[], bytes: number): void {
  const tokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  sums.bytes += bytes;
  sums.tokens += tokens;
  sums.byFile.set(names.join('/'), tokens);
  for (let depth = 1; depth < names.length; depth += 1) {
    const folder = names.slice(0, depth).join('/');
    sums.byFolder.set(folder, (sums.byFolder.get(folder) ?? 0) + tokens);
  }
}

function resultOf({ byFile, byFolder, ...sums }: Sums, { top }: Params, isWhole: boolean): Result {
  const largest = (all: Map<string, number>) =>
    [...all]
      .map(([path, tokens]) => ({ path, tokens }))
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, top);
  return { ...sums, largest: largest(byFile), folders: largest(byFolder), is_whole: isWhole };
}
