import { randomUUID } from 'node:crypto';
import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ExportRecord } from '../../hub/protocol/methods/tree_methods.js';
import type { Sha256, Tree, TreeId } from '../../hub/protocol/node.js';
import type { FilesRecord } from './export_files.js';
import type { OutputData, PortableRecord } from './export_records.js';
import type { FilesImport } from './import_files.js';

const BATCH_RECORDS = 500;
const BATCH_LENGTH = 192 * 1024;

/** The result for one tree. */
export interface Imported {
  tree: Tree;
  /** Its name in the export, which another tree may have here. */
  exportedName: string | null;
  /** Its project in the export, which it may not have here. */
  exportedProject: string | null;
  added: number;
  present: number;
  /** For how many nodes recorded files came along. */
  filed: number;
  /** The settings that are in the file. */
  settings: readonly Sha256[];
}

/** Which projects trees may have here: the one in which the person stands, or any that a file names. */
type AllowedProjects = { only: string } | 'any';

export interface ImportOptions {
  projects: AllowedProjects;
  /** Called for a stored output that is damaged in the file. */
  onDamaged(sha256: Sha256): void;
  files: FilesImport;
  /** Where the person stands. */
  here: string;
}

/** Gives records to the hub, tree by tree. A step is never spread over two calls: it is whole or absent. */
export async function* importRecords(
  client: Client,
  records: AsyncIterable<PortableRecord> | Iterable<PortableRecord>,
  options: ImportOptions,
): AsyncGenerator<Imported> {
  let current: TreeImport | null = null;
  const upload = uploader(client, options.onDamaged);
  try {
    for await (const record of records) {
      if (record.kind === 'tree') {
        await upload.end();
        if (current !== null) yield await current.end();
        current = treeImport(client, record, options);
      } else if (current === null && record.kind !== 'output_data') {
        throw new HubError('invalid_params', 'this cannot be imported: it does not begin with a tree');
      }
      if (record.kind === 'output_data') await upload.piece(record);
      else await current?.take(record);
    }
    await upload.end();
    if (current === null) throw new HubError('invalid_params', 'this cannot be imported: it holds no tree');
    yield await current.end();
  } finally {
    await options.files.drop();
  }
}

/** Refuses a file in which a stored output is damaged. */
export function refuseDamaged(sha256: Sha256): void {
  throw new HubError('invalid_params', `this cannot be imported: the stored output ${sha256} is damaged in the file`);
}

interface TreeImport {
  take(record: ExportRecord | FilesRecord): Promise<void>;
  end(): Promise<Imported>;
}

type TreeRecord = Extract<ExportRecord, { kind: 'tree' }>;

function treeImport(client: Client, first: TreeRecord, { projects, files, here }: ImportOptions): TreeImport {
  const tree: TreeId = first.tree.id;
  let batch: ExportRecord[] = [];
  let length = 0;
  const total = { added: 0, present: 0 };
  const settings: Sha256[] = [];
  files.begin(projects === 'any' ? (first.tree.project ?? here) : here);
  const send = async (done: boolean): Promise<Tree | null> => {
    const records = batch;
    batch = [];
    length = 0;
    const result = await client.call('loom.tree_import', { tree, records, done, takes_project: true });
    total.added += result.added;
    total.present += result.present;
    return result.tree;
  };
  return {
    take: async (record) => {
      if (record.kind === 'pack_data' || record.kind === 'files') return files.take(record);
      const isFull = batch.length >= BATCH_RECORDS || length >= BATCH_LENGTH;
      if (isFull && !goesOnStep(record)) await send(false);
      batch.push(record.kind === 'tree' ? withProject(record, projects) : record);
      if (record.kind === 'node') files.addNode(record.node.id);
      if (record.kind === 'settings') settings.push(record.sha256);
      length += JSON.stringify(record).length;
    },
    end: async () => {
      await files.prove();
      const imported = await send(true);
      if (imported === null) throw new HubError('internal', `the hub did not finish the import of ${tree}`);
      const filed = await files.store(tree);
      const exported = { exportedName: first.tree.name, exportedProject: first.tree.project };
      return { tree: imported, ...exported, filed, settings, ...total };
    },
  };
}

/** The person, never a file, decides what models may change: a tree without a project works in the person's folder. */
function withProject(record: TreeRecord, projects: AllowedProjects): TreeRecord {
  if (projects === 'any' || record.tree.project === projects.only) return record;
  return { ...record, tree: { ...record.tree, project: null } };
}

function goesOnStep(record: ExportRecord): boolean {
  return record.kind === 'node' && record.node.step !== null && record.node.step.index > 0;
}

interface Uploader {
  piece(piece: OutputData): Promise<void>;
  end(): Promise<void>;
}

/** Stores outputs as their pieces arrive. An upload is finished when another begins, or nothing more comes. */
function uploader(client: Client, onDamaged: (sha256: Sha256) => void): Uploader {
  let upload: { id: string; sha256: Sha256; offset: number } | null = null;
  const end = async (): Promise<void> => {
    if (upload === null) return;
    const { id, sha256, offset } = upload;
    upload = null;
    const { output } = await client.call('loom.blob_write', { upload: id, offset, data: '', done: true });
    if (output?.sha256 !== sha256) onDamaged(sha256);
  };
  return {
    piece: async ({ sha256, offset, data }) => {
      if (upload?.sha256 !== sha256 || offset === 0) {
        await end();
        upload = { id: randomUUID(), sha256, offset: 0 };
      }
      await client.call('loom.blob_write', { upload: upload.id, offset, data, done: false });
      upload.offset = offset + Buffer.byteLength(data, 'base64');
    },
    end,
  };
}
