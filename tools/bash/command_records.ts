import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Log } from '../../hub/base/plugin.js';
import { SandboxKind } from '../../hub/protocol/methods/tool_methods.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { SpareFile } from '../process/spare_files.js';

/** Records that could not be read and are kept for a person to look at. */
const SET_ASIDE_MAX = 20;
/** The largest command, escaped as JSON, and what is noted of it. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;

/** What is known of a command when it begins. */
const Begun = z.strictObject({
  marker: z.string().regex(/^[0-9a-f]{32}$/),
  id: NodeId,
  session: z.string(),
  command: z.string(),
  cwd: z.string(),
  place: z.strictObject({ tree: TreeId, node: NodeId }).nullable(),
  append: z.boolean(),
  call_id: z.string().nullable(),
  sandbox: SandboxKind,
  network: z.boolean(),
  started_at_ms: z.int(),
});
export type Begun = z.infer<typeof Begun>;

/** Its first process. */
const Leader = z.strictObject({ pid: z.int().positive(), start: z.string() });
export type Leader = z.infer<typeof Leader>;

/** How it ended. */
const End = z.strictObject({
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  duration_ms: z.int().nonnegative(),
  /** The folder after it. */
  cwd: z.string(),
  /** Why it was ended, in words; null when it ended by itself. */
  reason: z.string().nullable(),
  /** Its background processes that were ended with it. */
  background_ended: z.int().nonnegative(),
});
export type End = z.infer<typeof End>;

/** A command that a process before this one did not bring to its end. */
export interface LeftOver {
  begun: Begun;
  leader: Leader | null;
  end: End | null;
  /** When something was last heard of it. */
  lastHeardMs: number;
  spoolPath: string;
  remove(): void;
}

/** What is written down of one command while it runs. */
export interface RecordFile {
  spoolPath: string;
  started(leader: Leader): void;
  ended(end: End): void;
  /** Lets go of the file and leaves it: what it tells of is not done. */
  leave(): void;
  remove(): void;
}

/** The folder of all records, and what becomes one of them. */
interface RecordPlace {
  folder: string;
  spare: SpareFile;
}

/** Writes down that a command begins, so that it is brought to its end whatever happens to this process. */
export function beginRecord({ folder, spare }: RecordPlace, begun: Begun, log: Log): RecordFile {
  const path = join(folder, `${begun.id}.json`);
  const spoolPath = join(folder, `${begun.id}.out`);
  const { fd } = spare;
  const write = (line: object): void => {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  };
  // On a full disk the command goes on: its marker was written first, and is enough to find it by.
  const note = (line: object): void => {
    try {
      write(line);
    } catch {
      // Its marker is enough to find it by.
      log('warn', `what became of the command ${begun.id} could not be noted`);
    }
  };
  try {
    write(begun);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // It is there whole or not at all, and takes nobody's place.
    linkSync(spare.path, path);
  } catch (error) {
    closeSync(fd);
    throw error;
  } finally {
    rmSync(spare.path, { force: true });
  }
  return {
    spoolPath,
    started: note,
    ended: note,
    leave: () => closeSync(fd),
    remove() {
      closeSync(fd);
      removeBoth(path, spoolPath);
    },
  };
}

// The record goes last: a spool without one would be nobody's.
function removeBoth(path: string, spoolPath: string): void {
  rmSync(spoolPath, { force: true });
  rmSync(path, { force: true });
}

/** What a folder of records holds. Whatever cannot be read is set aside; `marked` is told what it belonged to. */
export function leftOverRecords(folder: string, log: Log, marked: (marker: string) => void): LeftOver[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = new Set(readdirSync(folder));
  const found: LeftOver[] = [];
  for (const name of names) {
    const [, id = '', kind] = /^(.*)\.(json|out)$/.exec(name) ?? [];
    if (kind === 'out' && names.has(`${id}.json`)) continue;
    const record = kind === 'json' ? readRecord(folder, id, marked) : null;
    if (record !== null) {
      found.push(record);
      continue;
    }
    // After a power cut a file may be there without what was written to it.
    if (kind === 'json' && isEmpty(join(folder, name))) rmSync(join(folder, name), { force: true });
    else setAside(folder, name, log);
    if (kind === 'json' && names.has(`${id}.out`)) setAside(folder, `${id}.out`, log);
  }
  return found;
}

/** Whether a command has been begun that is not done with. */
export function hasRecord(folder: string, id: NodeId): boolean {
  return existsSync(join(folder, `${id}.json`));
}

/** What was not done of one command; null when there is nothing, or nothing that can be read. */
export function leftOverRecord(folder: string, id: NodeId): LeftOver | null {
  return hasRecord(folder, id) ? readRecord(folder, id, () => undefined) : null;
}

function readRecord(folder: string, id: string, marked: (marker: string) => void): LeftOver | null {
  const text = textOf(join(folder, `${id}.json`));
  const record = recordIn(text);
  if (record !== null && record.begun.id === id) return { ...record, ...placeOf(folder, id) };
  const [, marker] = /"marker":"([0-9a-f]{32})"/.exec(text) ?? [];
  if (marker !== undefined) marked(marker);
  return null;
}

function placeOf(folder: string, id: string) {
  const path = join(folder, `${id}.json`);
  const spoolPath = join(folder, `${id}.out`);
  const lastHeardMs = Math.max(modifiedMs(path), modifiedMs(spoolPath));
  return { spoolPath, lastHeardMs, remove: () => removeBoth(path, spoolPath) };
}

function isEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0;
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function textOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size > RECORD_BYTES_MAX) return '';
  return readFileSync(path, 'utf8');
}

function recordIn(text: string): Pick<LeftOver, 'begun' | 'leader' | 'end'> | null {
  // A line that was not written to its end is as if it were not there.
  const [first, ...others] = text.split('\n').slice(0, -1).map(parsed);
  const begun = Begun.safeParse(first);
  if (!begun.success) return null;
  const leader = others.map((line) => Leader.safeParse(line)).find(({ success }) => success);
  const end = others.map((line) => End.safeParse(line)).find(({ success }) => success);
  return { begun: begun.data, leader: leader?.data ?? null, end: end?.data ?? null };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the caller takes it for no record
  }
}

function setAside(folder: string, name: string, log: Log): void {
  const aside = join(dirname(folder), 'commands-unreadable');
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  log('warn', `the record of a command cannot be read; it is put into ${aside}: ${JSON.stringify(name.slice(0, 100))}`);
  if (readdirSync(aside).length < SET_ASIDE_MAX) renameSync(join(folder, name), join(aside, name));
  else rmSync(join(folder, name), { recursive: true, force: true });
}
