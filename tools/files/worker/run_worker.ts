import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { HubError } from '../../../hub/base/error.js';
import { freeHeapGrowth } from '../../../hub/base/memory/free_garbage.js';
import type { FileChange } from '../../../hub/protocol/methods/files_methods.js';
import { exchangedFolder, identityOf } from '../../walk/folder_identity.js';
import { type PinnedEntry, pin, pinIn } from '../../walk/pinned_folder.js';
import type { Difference } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import { checkStore } from './check_store.js';
import { copyPackages } from './copy_packages.js';
import { OpenNames, type WorkerMessage, type WorkerReport, WorkerRequest, WorkerStart } from './messages.js';
import { openProjectFiles, type ProjectFiles, sweepStore } from './project_files.js';
import { repairStore } from './repair_store.js';
import { exportPacks, importPacks } from './transfer_packs.js';

/** More paths are counted and not named. */
const NAMED_MAX = 2_000;
const PATCH_BYTES_MAX = 16 * 1024 * 1024;
const EMPTY: WorkerReport = {
  ...{ root: null, files: 0, bytes: 0, changed: 0, changes: [], kept: [], left_out: [] },
  ...{
    own: { changed: 0, changes: [] },
    moved: null,
    patch: null,
    merged: [],
    problems: [],
    unneeded: 0,
    lost: [],
    unshared: [],
  },
  repair: { aside: 0, saved: 0, removed: 0 },
};

/** Serves the files of one project, as a process of its own that sees the project and its store and nothing else. */
async function main(): Promise<void> {
  // Modes are set as they were recorded.
  process.umask(0);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  let files: ProjectFiles | null = null;
  const next = async (): Promise<unknown> => {
    const { done, value } = await lines.next();
    if (done !== true) return JSON.parse(value);
    files?.close();
    process.exit(0);
  };
  const start = WorkerStart.parse(await next());
  const openIn = async (drafts: string): Promise<ReadonlySet<string>> => {
    say({ kind: 'open_files', drafts });
    return new Set(OpenNames.parse(await next()).open);
  };
  for (;;) {
    const request = WorkerRequest.parse(await next());
    try {
      files ??= start.project === null ? null : await openAt(start, start.project, openIn);
      say({ kind: 'report', report: await reportOf(request, { files, start }) });
      freeHeapGrowth();
    } catch (error) {
      const failure = error instanceof HubError ? error : unexpected(error);
      say({ kind: 'failure', message: failure.message, data: failure.data });
      // What was not stored is forgotten with this process.
      process.stdin.destroy();
      return;
    }
  }
}

type OpenIn = (drafts: string) => Promise<ReadonlySet<string>>;

async function openAt(
  { store, copy }: WorkerStart,
  { top, start, own_ignore_file: ignore, is }: NonNullable<WorkerStart['project']>,
  openIn: OpenIn,
): Promise<ProjectFiles> {
  const entry = pin(top);
  const project = start.reduce<PinnedEntry | null>(
    (folder, name) => (folder === null ? null : pinIn(folder, Buffer.from(name, 'latin1'))),
    entry,
  );
  if (entry === null || project?.stats.isDirectory() !== true) {
    throw new HubError('not_found', 'the folder of the project is not there (any more)');
  }
  if (is !== null && (identityOf(entry.stats) !== is.top || identityOf(project.stats) !== is.project))
    throw exchangedFolder();
  const ownIgnoreFile = ignore === null ? null : Buffer.from(ignore, 'base64');
  const files = openProjectFiles({
    folder: store,
    copy,
    top: entry,
    project,
    start,
    ownIgnoreFile,
    clock: Date.now,
    openIn,
  });
  await files.recover();
  return files;
}

async function reportOf(
  request: WorkerRequest,
  { files, start }: { files: ProjectFiles | null; start: WorkerStart },
): Promise<WorkerReport> {
  const { store } = start;
  if (request.kind === 'packages') return { ...EMPTY, unshared: packagesLeft(start) };
  if (request.kind === 'sweep') {
    sweepStore(store, request.roots);
    return EMPTY;
  }
  if (request.kind === 'export') return { ...EMPTY, ...exportPacks({ folder: store, ...request }) };
  if (request.kind === 'import') {
    return { ...EMPTY, ...importPacks({ folder: store, ...request }, request) };
  }
  if (request.kind === 'repair') return { ...EMPTY, repair: repairStore(store, request.roots) };
  if (request.kind === 'check') return { ...EMPTY, ...checkStore(store, request.roots) };
  if (files === null) return EMPTY;
  switch (request.kind) {
    case 'snapshot':
      return scanned(files);
    case 'diff': {
      const now = request.after === null ? scanned(files) : EMPTY;
      const after = request.after ?? now.root ?? request.before;
      return { ...now, ...detailsOf(files, files.diff(request.before, after), request.detail) };
    }
    case 'plan': {
      const { changes, kept } = files.plan(request);
      return { ...EMPTY, changed: changes.length, changes: changesOf(changes), kept: keptOf(kept) };
    }
    case 'restore': {
      const { changed, kept } = await files.restore(request);
      return { ...EMPTY, changed, kept: keptOf(kept) };
    }
    case 'move': {
      const { from, own, done } = await files.move(request);
      const kept = keptOf(done?.kept ?? []);
      const { changes } = differencesOf(files.diff(request.base, request.target));
      const changed = done?.changed ?? 0;
      return { ...EMPTY, root: from, changed, changes, kept, own: differencesOf(own), moved: done?.to ?? null };
    }
    case 'take': {
      const { done, plan } = await files.take(request);
      const { changed, kept, to } = done;
      const merged = new Set(plan.merged);
      const changes = changesOf(plan.changes.filter(({ path }) => !merged.has(path)));
      return { ...EMPTY, changed, changes, kept: keptOf(kept), moved: to, merged: plan.merged.map(textOf) };
    }
    case 'empty':
      files.empty();
      return EMPTY;
    case 'undo': {
      const { changed, kept, root } = await files.undo();
      return { ...EMPTY, root, changed, kept: keptOf(kept) };
    }
  }
}

function packagesLeft({ from, from_is: is, project }: WorkerStart): string[] {
  if (from === null || project === null) return [];
  if (is !== null && identityOf(statSync(from)) !== is) throw exchangedFolder();
  return copyPackages({ from, to: project.top });
}

function scanned(files: ProjectFiles): WorkerReport {
  const { root, files: count, leftOut } = files.scan();
  return { ...EMPTY, root, files: count, bytes: files.bytes(), left_out: leftOut.slice(0, NAMED_MAX).map(named) };
}

type Detail = Extract<WorkerRequest, { kind: 'diff' }>['detail'];

function detailsOf(files: ProjectFiles, found: readonly Difference[], detail: Detail): Partial<WorkerReport> {
  const names = differencesOf(found);
  if (detail === 'names') return names;
  let bytes = 0;
  const patches = (detail === 'lines' ? found.slice(0, NAMED_MAX) : found).map((one) => {
    const { text, lines } = files.patch(one);
    if (detail === 'lines') return { text: '', lines };
    bytes += text.length;
    if (bytes <= PATCH_BYTES_MAX) return { text, lines };
    throw new HubError('limit', 'the patch is longer than 16 MiB', { hint: 'list the names alone' });
  });
  const changes = names.changes.map((change, index) => ({ ...change, lines: patches[index]?.lines ?? null }));
  const patch = patches.map(({ text }) => text).join('');
  return { ...names, changes, patch: detail === 'patch' ? Buffer.from(patch, 'latin1').toString('base64') : null };
}

function differencesOf(found: readonly Difference[]): WorkerReport['own'] {
  const changes = found.map(({ path, before, after }) => ({ path, was: before, want: after }));
  return { changed: found.length, changes: changesOf(changes) };
}

function changesOf(changes: readonly { path: string; was: TreeEntry | null; want: TreeEntry | null }[]): FileChange[] {
  return changes.slice(0, NAMED_MAX).map(({ path, was, want }) => {
    const kind = changeKind(was, want);
    return { path: textOf((want ?? was)?.kind === 'folder' ? `${path}/` : path), kind, lines: null };
  });
}

function changeKind(was: TreeEntry | null, want: TreeEntry | null): FileChange['kind'] {
  if (was === null) return 'added';
  return want === null ? 'removed' : 'changed';
}

function keptOf(kept: readonly { path: string; why: string }[]): WorkerReport['kept'] {
  return kept.slice(0, NAMED_MAX).map(named);
}

function named<T extends { path: string }>(one: T): T {
  return { ...one, path: textOf(one.path) };
}

function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString();
}

function say(message: WorkerMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function unexpected(error: unknown): HubError {
  const text = error instanceof Error ? error.message : String(error);
  return new HubError('storage_failed', `the files of the project could not be recorded: ${text}`, { cause: error });
}

await main();
