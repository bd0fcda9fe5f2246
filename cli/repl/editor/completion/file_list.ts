import { spawn } from 'node:child_process';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

// More than this cannot be found by typing anyhow.
const PATHS_MAX = 200_000;
const BYTES_MAX = 64 * 1024 * 1024;
const TIME_MS_MAX = 20_000;
const DEPTH_MAX = 24;
/** Folders full of what other programs have put there. */
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv', '.cache']);

/** The paths of the files below a folder: those that git knows or would, and without a repository all of them. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_MS_MAX)]);
  return (await filesOfGit(folder, limit)) ?? filesBelow(folder, limit);
}

// A repository must not be able to start programs of its own here.
const GIT = [
  '-c',
  'core.fsmonitor=false',
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',

  '-z',
];

/** Null where there is no repository, and no git. */
function filesOfGit(folder: string, signal: AbortSignal): Promise<string[] | null> {
  return new Promise((resolve) => {
    const git = spawn('git', GIT, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    git.stdout.on('data', (chunk: Buffer) => {
      if (bytes >= BYTES_MAX) git.kill();
      else chunks.push(chunk);
      bytes += chunk.length;
    });
    git.on('error', () => resolve(null));
    git.on('close', (code) => resolve(code === 0 || bytes >= BYTES_MAX ? pathsOf(Buffer.concat(chunks)) : null));
  });
}

function pathsOf(output: Buffer): string[] {
  const paths = output.toString('utf8').split('\0');
  // What follows the last separator is nothing, or a path that was cut.
  paths.pop();
  return paths.slice(0, PATHS_MAX);
}

/** Walks a folder, what lies near first. Links are not followed, and what cannot be read is left out. */
async function filesBelow(folder: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = [];
  let level = [''];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const next: string[] = [];
    for (const inner of level) {
      if (signal.aborted || paths.length >= PATHS_MAX) return paths.slice(0, PATHS_MAX);
      const { files, folders } = await entriesOf(folder, inner);
      for (const file of files) paths.push(file);
      for (const further of folders) next.push(further);
    }
    level = next;
  }
  return paths.slice(0, PATHS_MAX);
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
