import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { type HomePaths, homePaths, temporaryFolder } from '../config/config.js';
import { homeError } from '../home/home_folder.js';
import { CALL_FACTS, type CallFacts } from '../protocol/call_facts.js';
import { isAlive } from './start_hub.js';

/** A copy of what lies in a home that can only be read, for a hub of its own. */
export interface HomeCopy {
  home: string;
  /** Removes it; its hub ends when it notices. */
  remove(): void;
}

const PREFIX = 'cognition-read-';
const TRIES_MAX = 3;
const FACTS = new Map<string, CallFacts>(Object.entries(CALL_FACTS));
const CONFIG = 'hub.idle_minutes = 1\n';

/** Whether there are conversations in a home in which nothing can be written. */
export function isReadOnlyHome(home: string): boolean {
  const { database } = homePaths(home);
  return existsSync(database) && !(isWritable(home) && isWritable(database));
}

/** Refuses a call that would change a home that can only be read. */
export function refuseWriting(home: string, method: string): void {
  if (FACTS.get(method)?.onlyReads === true) return;
  throw new HubError('storage_failed', `${home} can only be read: nothing is changed there`, {
    hint: 'check who owns it and whether its disk is mounted read-only, or set COGNITION_HOME to another folder',
  });
}

/** Copies the conversations of a home to where a hub may open them; stored outputs stay where they are. */
export function copyHome(home: string): HomeCopy {
  sweep();
  const copy = mkdtempSync(join(temporaryFolder(), `${PREFIX}${process.pid}-`));
  const remove = (): void => rmSync(copy, { recursive: true, force: true });
  process.on('exit', remove);
  const [from, to] = [homePaths(home), homePaths(copy)];
  try {
    copyFiles(from, to);
    if (existsSync(from.outputs)) symlinkSync(from.outputs, to.outputs);
    writeFileSync(to.config, CONFIG, { mode: 0o600 });
  } catch (error) {
    remove();
    throw error instanceof HubError ? error : homeError(copy, error);
  }
  return { home: copy, remove };
}

/** Copies the database with its log as they were at one moment. */
function copyFiles(from: HomePaths, to: HomePaths): void {
  const files = [from.database, `${from.database}-wal`];
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = files.map(stateOf).join();
    for (const file of files) {
      const copied = join(to.home, basename(file));
      rmSync(copied, { force: true });
      copyWritable(file, copied);
    }
    if (files.map(stateOf).join() !== before) continue;
    // Derived: one that does not fit is built again.
    copyWritable(from.searchIndex, to.searchIndex);
    return;
  }
  throw new HubError('storage_failed', `${from.database} changes while it is read`, {
    hint: 'end what writes it, and try again',
    retryable: true,
  });
}

/** A copy keeps the mode of its file, and one that could not be written would be copied itself, for ever. */
function copyWritable(from: string, to: string): void {
  if (!existsSync(from)) return;
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
}

function stateOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    return code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM';
  }
}

/** Removes copies whose process was killed. */
function sweep(): void {
  const folder = temporaryFolder();
  for (const name of readdirSync(folder)) {
    const pid = Number(/^cognition-read-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid === 0 || isAlive(pid)) continue;
    if (statSync(join(folder, name), { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
