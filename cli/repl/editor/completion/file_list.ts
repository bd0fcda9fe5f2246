import { spawn } from 'node:child_process';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

// More files cannot be found by typing.
const PATHS_MAX = 200_000;
const TIME_MS_MAX = 20_000;
const DEPTH_MAX = 24;
const FOLDERS_AT_ONCE = 16;
/** Paths per batch: keys are read between two batches. */
const BATCH_LENGTH = 4_000;
/** Folders with generated or foreign content. */
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv', '.cache']);
// Names with control characters or invalid UTF-8 cannot be typed.
const UNWRITABLE = /[\p{Cc}\ufffd]/u;

/** One batch of a file listing. */
export interface FileNews {
  found: readonly string[];
  /** Files found before that git tracks but that do not exist. */
  gone: readonly string[];
}

/** The files below a folder: tracked and untracked but not ignored ones; without a repository, all of them. */
export async function* listFiles(folder: string, signal: AbortSignal): AsyncGenerator<FileNews> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_MS_MAX)]);
  let count = 0;
  for await (const { found, gone } of newsOf(folder, limit)) {
    const writable = found.filter((path) => !UNWRITABLE.test(path)).slice(0, PATHS_MAX - count);
    count += writable.length;
    yield { found: writable, gone };
    if (count >= PATHS_MAX || limit.aborted) return;
  }
}

async function* newsOf(folder: string, signal: AbortSignal): AsyncGenerator<FileNews> {
  let isRepository = false;
  // Git lists tracked files at once; for untracked ones it has to walk the folders.
  for await (const found of linesOfGit([...KNOWN], { folder, signal })) {
    isRepository = true;
    yield { found, gone: [] };
  }
  for await (const lines of linesOfGit([...OTHERS], { folder, signal })) {
    isRepository = true;
    const pathsOf = (tag: string) => lines.filter((line) => line.startsWith(tag)).map((line) => line.slice(tag.length));
    yield { found: pathsOf(UNKNOWN), gone: pathsOf(REMOVED) };
  }
  if (isRepository) return;
  for await (const found of filesBelow(folder, signal)) yield { found, gone: [] };
}

// The configuration of a repository must not start programs here.
const GIT = ['-c', 'core.fsmonitor=false', 'ls-files', '-z'];
const KNOWN = ['--cached', '--recurse-submodules'];
const OTHERS = ['-t', '--others', '--deleted', '--exclude-standard'];
const UNKNOWN = '? ';
const REMOVED = 'R ';

/** Yields nothing without a repository or without git. */
async function* linesOfGit(
  words: readonly string[],
  { folder, signal }: { folder: string; signal: AbortSignal },
): AsyncGenerator<string[]> {
  const git = spawn('git', [...GIT, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], signal });
  // When git is missing or killed, its output just ends.
  git.on('error', () => git.stdout.destroy());
  let rest = '';
  let lines: string[] = [];
  try {
    for await (const chunk of git.stdout.setEncoding('utf8')) {
      const pieces = (rest + String(chunk)).split('\0');
      rest = pieces.pop() ?? '';
      for (const piece of pieces) lines.push(piece);
      if (lines.length < BATCH_LENGTH) continue;
      yield lines;
      lines = [];
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
  } finally {
    git.kill();
  }
  if (lines.length > 0) yield lines;
}

/** Walks a folder breadth-first. Links are not followed; unreadable folders are skipped. */
async function* filesBelow(folder: string, signal: AbortSignal): AsyncGenerator<string[]> {
  let level = [''];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const next: string[][] = [];
    for (let start = 0; start < level.length && !signal.aborted; start += FOLDERS_AT_ONCE) {
      const some = level.slice(start, start + FOLDERS_AT_ONCE);
      const entries = await Promise.all(some.map((inner) => entriesOf(folder, inner)));
      next.push(entries.flatMap(({ folders }) => folders));
      yield entries.flatMap(({ files }) => files);
    }
    level = next.flat();
  }
}

async function entriesOf(folder: string, inner: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of await readable(join(folder, inner))) {
    if (!entry.isDirectory()) files.push(inner + entry.name);
    else if (!SKIPPED.has(entry.name)) folders.push(`${inner}${entry.name}/`);
  }
  return { files, folders };
}

async function readable(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // removed meanwhile, or not ours to read
  }
}
