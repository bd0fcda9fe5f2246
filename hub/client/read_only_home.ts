import {
  accessSync,
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
import { isAlive } from './start_hub.js';

/** A copy of what lies in a home that can only be read, for a hub of its own. */
export interface HomeCopy {
  home: string;
  /** Removes it; its hub ends when it notices. */
  remove(): void;
}

const PREFIX = 'cognition-read-';
const TRIES_MAX = 3;
const CONFIG = 'hub.idle_minutes = 1\n';

/** The methods that change nothing: all others are refused where the home can only be read. */
const READING: ReadonlySet<string> = new Set([
  ...['tree_get', 'tree_find', 'tree_get_skeleton', 'tree_get_shape', 'tree_get_near', 'tree_get_lines', 'tree_list']
    .concat(['tree_export', 'mark_list', 'blob_read', 'node_get', 'node_find', 'node_get_children', 'node_check'])
    .concat(['context_get_path', 'context_list_leaves', 'context_get_handles', 'context_get_place'])
    .concat(['context_get_settings', 'settings_get', 'search', 'watch', 'fsck', 'backup', 'turn_list', 'turn_get'])
    .concat([
      'turn_list_waiting',
      'input_list',
      'request_list',
      'cost_get',
      'cost_shape',
      'snapshot_find',
      'snapshot_roots',
    ])
    .concat(['copy_list', 'node_get_many', 'node_read_children', 'snapshot_folders'])
    .map((name) => `loom.${name}`),
  ...['history.session_list', 'history.session_describe', 'history.search'],
  ...['context.resolve', 'context.render', 'context.model', 'agent.estimate', 'agent.check', 'agent.instructions_list'],
  ...['agent.plan_get', 'agent.follow', 'agent.status', 'agent.providers', 'agent.models', 'agent.permission_list'],
  ...['agent.job_list', 'bash.list', 'file.path_resolve', 'file.project_list', 'file.project_measure'],
  ...['file.project_read', 'file.command_list', 'git.status', 'files.status', 'files.diff', 'files.copy_list'],
  ...['outside.list', 'tools.check', 'health.check', 'health.stop', 'rpc.discover', 'rpc.cancel'],
]);

/** Whether there are conversations in a home in which nothing can be written. */
export function isReadOnlyHome(home: string): boolean {
  const { database } = homePaths(home);
  return existsSync(database) && !(isWritable(home) && isWritable(database));
}

/** Refuses a call that would change a home that can only be read. */
export function refuseWriting(home: string, method: string): void {
  if (READING.has(method)) return;
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
      if (existsSync(file)) copyFileSync(file, copied, constants.COPYFILE_FICLONE);
    }
    if (files.map(stateOf).join() !== before) continue;
    // Derived: one that does not fit is built again.
    if (existsSync(from.searchIndex)) copyFileSync(from.searchIndex, to.searchIndex, constants.COPYFILE_FICLONE);
    return;
  }
  throw new HubError('storage_failed', `${from.database} changes while it is read`, {
    hint: 'end what writes it, and try again',
    retryable: true,
  });
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
