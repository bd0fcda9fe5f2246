import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { HubLink, ToolParts } from '../base/tool_parts.js';
import { gitFoldersOf } from '../sandbox/linked_git.js';
import { attempt } from '../walk/pinned_folder.js';
import type { ProjectWorkers } from './project_workers.js';
import { readRegular } from './scan/read_entry.js';
import { copyRow, createTaking } from './take_changes.js';

/** Each is as large as the project. */
const COPIES_MAX = 24;
const GIT_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** The folders in which single turns work, each as if it were the project. */
export function createCopies({ hub }: Pick<ToolParts, 'hub'>, workers: ProjectWorkers) {
  async function make(params: ParsedOf<'files.copy_make'>): Promise<ResultOf<'files.copy_make'>> {
    const { tree, node, turn, label, check } = params;
    const project = await workers.project(params.project);
    await refuseMany(hub, project.path);
    const { root } = await workers.ask(project, { kind: 'snapshot' });
    if (root === null) return { files: 0 };
    const copy = workers.copyOf(project.id, turn);
    mkdirSync(copy.path, { recursive: true, mode: 0o700 });
    markRepository(project.path, copy.path);
    await workers.ask(copy, { kind: 'restore', base: root, target: root, exact: true });
    const { root: base, files } = await workers.ask(copy, { kind: 'snapshot' });
    const place = { turn, tree, node, folder: project.id, project: project.path };
    await hub.call('loom.copy_add', { ...place, label, check, base: base ?? root });
    // What it changes is told from here on.
    await hub.call('loom.snapshot_add', { tree, node, folder: project.id, root: base ?? root, kind: 'copied' });
    return { files };
  }

  async function list({ tree }: ParsedOf<'files.copy_list'>): Promise<ResultOf<'files.copy_list'>> {
    const { copies } = await hub.call('loom.copy_list', { tree });
    return {
      copies: copies.map(({ folder, base: _base, ...row }) => {
        const { path } = workers.copyOf(folder, row.turn);
        return { ...row, bytes: existsSync(path) ? bytesIn(path) : null };
      }),
    };
  }

  async function remove({ turn }: ParsedOf<'files.copy_remove'>): Promise<ResultOf<'files.copy_remove'>> {
    const { folder } = await copyRow(hub, turn);
    const copy = workers.copyOf(folder, turn);
    const { turns } = await hub.call('agent.status', {});
    if (turns.some((one) => one.turn === turn)) {
      throw new HubError('conflict', `turn ${turn} still works in its copy`, { hint: 'stop it first' });
    }
    if (existsSync(copy.path)) {
      await workers.ask(copy, { kind: 'empty' });
      rmdirSync(copy.path);
    }
    rmSync(`${copy.path}.state`, { recursive: true, force: true });
    return hub.call('loom.copy_remove', { turn });
  }

  return {
    'files.copy_make': make,
    'files.take': createTaking(hub, workers),
    'files.copy_list': list,
    'files.copy_remove': remove,
  };
}

async function refuseMany(hub: HubLink, project: string): Promise<void> {
  const { copies } = await hub.call('loom.copy_list', {});
  if (copies.filter((one) => one.project === project).length < COPIES_MAX) return;
  throw new HubError('limit', `there are ${COPIES_MAX} copies of ${project} already`, {
    hint: ['remove what is not needed: ', cliCommand('files copies')],
  });
}

/** Makes a folder a repository for who looks at its rules: with the index, which says what counts though a rule ignores it. */
function markRepository(project: string, copy: string): void {
  const git = gitFoldersOf(project);
  if (git === null || attempt(() => lstatSync(join(project, '.git')))?.isDirectory() !== true) return;
  for (const name of ['objects', 'refs']) mkdirSync(join(copy, '.git', name), { recursive: true, mode: 0o700 });
  for (const name of ['HEAD', 'index']) {
    const read = readRegular(`${git.own}/${name}`, GIT_FILE_BYTES_MAX);
    if (read?.kind === 'read') writeFileSync(join(copy, '.git', name), read.bytes, { mode: 0o600 });
  }
}

function bytesIn(folder: string): number {
  const names = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  let bytes = 0;
  for (const entry of names) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesIn(path) : (attempt(() => lstatSync(path))?.size ?? 0);
  }
  return bytes;
}
