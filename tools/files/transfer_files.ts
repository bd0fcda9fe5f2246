import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import { Sha256, type TreeId } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/tool_parts.js';
import { idOfPath, type ProjectWorkers } from './project_workers.js';
import { createTransferFolders, readPiece, writePiece } from './transfer_folders.js';

type Parts = Pick<ToolParts, 'hub' | 'machine' | 'newId' | 'clock'>;
type Folders = ReturnType<typeof createTransferFolders>;

/** Recorded files on their way into a file, or out of one. */
export function createTransfers(parts: Parts, workers: ProjectWorkers) {
  const folders = createTransferFolders(parts);
  return {
    'files.export_begin': createExporting(parts.hub, { folders, workers }),
    async 'files.export_read'(params: ParsedOf<'files.export_read'>): Promise<ResultOf<'files.export_read'>> {
      return { data: readPiece(join(folders.folderOf(params), params.pack), params.offset).toString('base64') };
    },
    ...createImporting(folders, workers),
    async 'files.transfer_drop'(params: ParsedOf<'files.transfer_drop'>): Promise<ResultOf<'files.transfer_drop'>> {
      folders.drop(params);
      return {};
    },
  };
}

function createExporting(hub: ToolParts['hub'], { folders, workers }: { folders: Folders; workers: ProjectWorkers }) {
  async function exportFolder(
    folder: Sha256,
    { roots, known }: NonNullable<ParsedOf<'files.export_begin'>['wanted']>,
  ): Promise<ResultOf<'files.export_begin'>['begun']> {
    const place = folders.begin(folder);
    try {
      const { transfer } = place;
      const { lost, files } = await workers.maintain(folder, async () => ({ kind: 'export', transfer, roots, known }));
      return { ...place, packs: packsIn(folders.folderOf(place)), lost, files };
    } catch (error) {
      folders.drop(place);
      throw error;
    }
  }

  return async (params: ParsedOf<'files.export_begin'>): Promise<ResultOf<'files.export_begin'>> => {
    const { wanted } = params;
    if (wanted !== null) return { begun: await exportFolder(idOfPath(params.project), wanted), others: 0 };
    await workers.settled();
    const found = await rootsOf(hub, params.tree);
    const largest = [...found].sort(([, a], [, b]) => b.size - a.size)[0]?.[0];
    const own = idOfPath(params.project);
    const folder = found.has(own) ? own : largest;
    if (folder === undefined) return { begun: null, others: 0 };
    const roots = [...(found.get(folder) ?? [])];
    return { begun: await exportFolder(folder, { roots, known: [] }), others: found.size - 1 };
  };
}

function createImporting(folders: Folders, workers: ProjectWorkers) {
  const proven = ({ folder, transfer, roots, partial }: ParsedOf<'files.import_end'>, look: boolean) =>
    workers.maintain(folder, async () => ({ kind: 'import', look, transfer, roots, partial }));
  return {
    async 'files.import_begin'({ project }: ParsedOf<'files.import_begin'>): Promise<ResultOf<'files.import_begin'>> {
      return folders.begin((await workers.project(project)).id);
    },
    async 'files.import_write'(params: ParsedOf<'files.import_write'>): Promise<ResultOf<'files.import_write'>> {
      writePiece(folders.folderOf(params), params);
      return {};
    },
    async 'files.import_check'(params: ParsedOf<'files.import_check'>): Promise<ResultOf<'files.import_check'>> {
      return { files: (await proven({ ...params, partial: false }, true)).files };
    },
    async 'files.import_end'(params: ParsedOf<'files.import_end'>): Promise<ResultOf<'files.import_end'>> {
      const { files, root: empty } = await proven(params, false);
      folders.drop(params);
      if (empty === null) throw new HubError('internal', 'an import ended without its result');
      return { files, empty };
    },
  };
}

/** What is noted for the nodes of a tree, by project. */
async function rootsOf(hub: ToolParts['hub'], tree: TreeId): Promise<Map<Sha256, Set<Sha256>>> {
  const found = new Map<Sha256, Set<Sha256>>();
  let cursor: string | null = null;
  do {
    const page: ResultOf<'loom.snapshot_list'> = await hub.call('loom.snapshot_list', { tree, cursor });
    for (const { folder, root } of page.snapshots) found.set(folder, (found.get(folder) ?? new Set()).add(root));
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

function packsIn(folder: string): { sha256: Sha256; size_bytes: number }[] {
  return readdirSync(folder).map((name) => {
    const sha256 = Sha256.parse(name);
    return { sha256, size_bytes: statSync(join(folder, sha256)).size };
  });
}
