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

/** Unreadable records kept for a person to look at. */
const SET_ASIDE_MAX = 20;
/** The largest command, escaped as JSON, with what is recorded of it. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;

/** Recorded when a command starts. */
const CommandStart = z.strictObject({
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
  /** Whether it runs in the background where no other command reaches its ports. */
  is_alone: z.boolean().default(false),
  started_at_ms: z.int(),
  /** By the hub's clock; null for one that is not appended, and in records of earlier versions. */
  begun_at_ms: z.int().nullable().default(null),
});
export type CommandStart = z.infer<typeof CommandStart>;

/** Its first process. */
const Leader = z.strictObject({ pid: z.int().positive(), start: z.string() });
export type Leader = z.infer<typeof Leader>;

/** Recorded when it has ended. */
const CommandEnd = z.strictObject({
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  duration_ms: z.int().nonnegative(),
  /** The working folder after it. */
  cwd: z.string(),
  /** Why it was stopped, in words; null when it ended by itself. */
  reason: z.string().nullable(),
  /** How many background processes were ended with it. */
  background_ended: z.int().nonnegative(),
});
export type CommandEnd = z.infer<typeof CommandEnd>;

/** A command that an earlier process started and whose result it did not store. */
export interface UnfinishedRecord {
  start: CommandStart;
  leader: Leader | null;
  end: CommandEnd | null;
  /** When its files were last written. */
  lastHeardMs: number;
  spoolPath: string;
  remove(): void;
}

/** The record of one command while it runs. */
export interface RecordFile {
  spoolPath: string;
  started(leader: Leader): void;
  ended(end: CommandEnd): void;
  /** Closes the file and leaves it for the next start. */
  leave(): void;
  remove(): void;
}

/** The folder of all records, and the spare file to link into it. */
interface RecordLocation {
  folder: string;
  spare: SpareFile;
}

/** Records that a command starts, so that the next process can finish it should this one die. */
export function beginRecord({ folder, spare }: RecordLocation, start: CommandStart, log: Log): RecordFile {
  const path = join(folder, `${start.id}.json`);
  const spoolPath = join(folder, `${start.id}.out`);
  const { fd } = spare;
  const write = (line: object): void => {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  };
  // On a full disk the command goes on: its marker was written first, and is enough to find its processes.
  const note = (line: object): void => {
    try {
      write(line);
    } catch {
      // The marker is enough.
      log('warn', `what became of the command ${start.id} could not be noted`);
    }
  };
  try {
    write(start);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The record appears whole or not at all, and replaces no other.
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
      removeRecordFiles(path, spoolPath);
    },
  };
}

// The record goes last: a spool without one would belong to no command.
function removeRecordFiles(path: string, spoolPath: string): void {
  rmSync(spoolPath, { force: true });
  rmSync(path, { force: true });
}

/** Reads the records of a folder. Unreadable ones are set aside, and their markers passed to `onOrphan`. */
export function readUnfinishedRecords(
  folder: string,
  log: Log,
  onOrphan: (marker: string) => void,
): UnfinishedRecord[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = new Set(readdirSync(folder));
  const records: UnfinishedRecord[] = [];
  for (const name of names) {
    const [, id = '', kind] = /^(.*)\.(json|out)$/.exec(name) ?? [];
    if (kind === 'out' && names.has(`${id}.json`)) continue;
    const record = kind === 'json' ? readRecord(folder, id, onOrphan) : null;
    if (record !== null) {
      records.push(record);
      continue;
    }
    // After a power cut a file may be there without what was written to it.
    if (kind === 'json' && isEmpty(join(folder, name))) rmSync(join(folder, name), { force: true });
    else setAside(folder, name, log);
    if (kind === 'json' && names.has(`${id}.out`)) setAside(folder, `${id}.out`, log);
  }
  return records;
}

/** Whether a command has an unfinished record. */
export function hasRecord(folder: string, id: NodeId): boolean {
  return existsSync(join(folder, `${id}.json`));
}

/** The unfinished record of one command; null when there is none, or none that can be read. */
export function readUnfinishedRecord(folder: string, id: NodeId): UnfinishedRecord | null {
  return hasRecord(folder, id) ? readRecord(folder, id, () => undefined) : null;
}

function readRecord(folder: string, id: string, onOrphan: (marker: string) => void): UnfinishedRecord | null {
  const text = readRecordText(join(folder, `${id}.json`));
  const record = parseRecord(text);
  if (record !== null && record.start.id === id) return { ...record, ...filesOf(folder, id) };
  const [, marker] = /"marker":"([0-9a-f]{32})"/.exec(text) ?? [];
  if (marker !== undefined) onOrphan(marker);
  return null;
}

function filesOf(folder: string, id: string) {
  const path = join(folder, `${id}.json`);
  const spoolPath = join(folder, `${id}.out`);
  const lastHeardMs = Math.max(modifiedMs(path), modifiedMs(spoolPath));
  return { spoolPath, lastHeardMs, remove: () => removeRecordFiles(path, spoolPath) };
}

function isEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0;
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readRecordText(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size > RECORD_BYTES_MAX) return '';
  return readFileSync(path, 'utf8');
}

function parseRecord(text: string): Pick<UnfinishedRecord, 'start' | 'leader' | 'end'> | null {
  // A line that was not written to its end does not count.
  const [first, ...others] = text.split('\n').slice(0, -1).map(parseLine);
  const start = CommandStart.safeParse(first);
  if (!start.success) return null;
  const leader = others.map((line) => Leader.safeParse(line)).find(({ success }) => success);
  const end = others.map((line) => CommandEnd.safeParse(line)).find(({ success }) => success);
  return { start: start.data, leader: leader?.data ?? null, end: end?.data ?? null };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the caller takes it for an unreadable line
  }
}

function setAside(folder: string, name: string, log: Log): void {
  const aside = join(dirname(folder), 'commands-unreadable');
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  log('warn', `the record of a command cannot be read; it is put into ${aside}: ${JSON.stringify(name.slice(0, 100))}`);
  if (readdirSync(aside).length < SET_ASIDE_MAX) renameSync(join(folder, name), join(aside, name));
  else rmSync(join(folder, name), { recursive: true, force: true });
}
