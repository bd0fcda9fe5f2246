import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { openProjectFiles, type ProjectFiles, type ProjectFilesParts } from '../../tools/files/worker/project_files.js';
import { WORKER_FLAGS } from '../../tools/files/worker_command.js';
import { WORKER_ENVIRONMENT } from '../../tools/files/worker_process.js';
import { pin } from '../../tools/walk/pinned_folder.js';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
const NAMES = [
  'a',
  'b.txt',
  'ü ö',
  '-rf',
  'new\nline',
  '\xff\xfe',
  'x'.repeat(200),
  '*',
  "'",
  'deep',
  'C:\\x',
  '.hidden',
];
const FOLDER_MODES = [0o755, 0o700, 0o555, 0o500];
const FILE_MODES = [0o644, 0o600, 0o755, 0o444];

/** The snapshots of a folder as the tools open them, in a store of their own. */
export function openFiles(
  project: string,
  folder: string,
  own: Partial<Pick<ProjectFilesParts, 'clock' | 'openIn'>> = {},
): ProjectFiles {
  const top = pin(project);
  if (top === null) throw new Error(`no folder ${project}`);
  return openProjectFiles({
    ...{ folder, copy: null, top, project: top, start: [], ownIgnoreFile: null, clock: Date.now },
    ...{ openIn: async () => new Set<string>(), ...own },
  });
}

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // the list is not empty

function bytesOf(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
}

/** Changes a folder at random: nasty names, links within it, modes, and changes that leave size and time of change as they were. */
export function changeFolder(folder: Buffer, random: Random, depth = 0): void {
  for (let count = 1 + Math.floor(random() * 5); count > 0; count -= 1) {
    const path = bytesOf(folder, '/', pick(random, NAMES));
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const dice = random();
    if (stats?.isDirectory() === true && dice < 0.6 && depth < 4) {
      chmodSync(path, 0o755);
      changeFolder(path, random, depth + 1);
      chmodSync(path, pick(random, FOLDER_MODES));
    } else if (stats?.isFile() === true && dice < 0.4) sameSizeSameTime(path, random);
    else if (stats !== undefined && dice < 0.8) remove(path);
    else if (stats === undefined) make(path, { random, depth });
  }
}

function sameSizeSameTime(path: Buffer, random: Random): void {
  const { size, atimeMs, mtimeMs, mode } = lstatSync(path);
  chmodSync(path, 0o600);
  write(path, contentOf(size, random));
  utimesSync(path, atimeMs / 1_000, mtimeMs / 1_000);
  chmodSync(path, mode & 0o777);
}

/** Removes what is at a path, also as a plain user: closed folders are opened. */
export function remove(path: Buffer): void {
  if (lstatSync(path).isDirectory()) {
    chmodSync(path, 0o755);
    for (const name of readdirSync(path, { encoding: 'buffer' })) remove(bytesOf(path, '/', name));
  }
  rmSync(path, { recursive: true, force: true });
}

function make(path: Buffer, { random, depth }: { random: Random; depth: number }): void {
  const dice = random();
  if (dice < 0.4 && depth < 4) {
    mkdirSync(path);
    changeFolder(path, random, depth + 1);
    chmodSync(path, pick(random, FOLDER_MODES));
  } else if (dice < 0.55) symlinkSync(pick(random, ['a', 'nowhere', './deep', '\u00fc']), path);
  else {
    write(path, contentOf(random() < 0.05 ? 1_500_000 : Math.floor(random() * 300), random));
    chmodSync(path, pick(random, FILE_MODES));
  }
}

function contentOf(size: number, random: Random): Buffer {
  return Buffer.alloc(size, String.fromCharCode(97 + Math.floor(random() * 26)));
}

/** Never through a link: a fixture must not write elsewhere. */
function write(path: Buffer, bytes: Buffer): void {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  } finally {
    closeSync(fd);
  }
}

/** All that is in a folder, one line for each name. */
export function imageOf(folder: Buffer, prefix: Buffer = Buffer.alloc(0)): string[] {
  return readdirSync(folder, { encoding: 'buffer' })
    .sort(Buffer.compare)
    .flatMap((name) => {
      const path = bytesOf(folder, '/', name);
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o777).toString(8);
      const shown = bytesOf(prefix, name).toString('latin1');
      if (stats.isDirectory()) return [`${shown}/ ${mode}`, ...imageOf(path, bytesOf(prefix, name, '/'))];
      if (stats.isSymbolicLink())
        return [`${shown} -> ${readlinkSync(path, { encoding: 'buffer' }).toString('latin1')}`];
      return [`${shown} ${mode} ${readFileSync(path).toString('latin1')}`];
    });
}

/** An empty folder for a project, and one for its store. */
export function foldersIn(folder: string): { project: string; store: string } {
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  return { project, store: join(folder, 'store') };
}

const WORKER = fileURLToPath(new URL('../../dist/files_worker.js', import.meta.url));
const REPORT = z.object({ kind: z.literal('report'), report: z.object({ root: z.string().nullable() }) });

/** The process that serves a project, as the tools start it, without its sandbox. */
export interface TestWorker {
  ask(request: object): Promise<string | null>;
  send(request: object): void;
  kill(): Promise<void>;
  pid: number;
}

export function startWorker(
  { project, store }: { project: string; store: string },
  env: Record<string, string> = {},
  is: { top: string; project: string } | null = null,
): TestWorker {
  const child = spawn(process.execPath, [...WORKER_FLAGS, WORKER], {
    env: { ...WORKER_ENVIRONMENT, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined); // it was killed
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (line: object): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  send({
    store,
    copy: null,
    from: null,
    from_is: null,
    project: { top: project, start: [], own_ignore_file: null, is },
  });
  return {
    send,
    pid: child.pid ?? 0,
    async ask(request) {
      send(request);
      for (;;) {
        const { value } = await lines.next();
        const message: unknown = JSON.parse(value ?? 'null');
        const report = REPORT.safeParse(message);
        if (report.success) return report.data.report.root;
        if (!JSON.stringify(message).includes('open_files')) throw new Error(`the worker says ${value}`);
        send({ open: [] });
      }
    },
    async kill() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
