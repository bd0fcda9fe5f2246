import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NotedSnapshot } from '../../hub/protocol/methods/snapshot_methods.js';
import type { Sha256, TreeId } from '../../hub/protocol/node.js';
import { count } from '../render/text/ids_and_counts.js';

/** A piece of a pack of recorded files, in base64. */
export interface PackData {
  kind: 'pack_data';
  pack: Sha256;
  offset: number;
  data: string;
}

/** Which files the project had at a node; they are in the packs before it. */
export type NotedFiles = { kind: 'files' } & Omit<NotedSnapshot, 'folder'>;

export type FilesRecord = PackData | NotedFiles;

export interface FilesExport {
  client: Client;
  project: string;
  note(text: string): void;
}

type Begun = NonNullable<ResultOf<'files.export_begin'>['begun']>;

/** What is recorded of a project for the nodes of a tree: packs, and what each node had of them. */
export async function* recordedFiles(tree: TreeId, parts: FilesExport): AsyncGenerator<FilesRecord> {
  const { client, project, note } = parts;
  // What is recorded from here on is not in the packs.
  let rows = 0;
  for await (const _ of client.pages('loom.snapshot_list', { tree }, 'snapshots')) rows += 1;
  const { begun, others } = await client.call('files.export_begin', { tree, project });
  if (begun === null) return;
  if (others > 0) note(`files of ${count(others, 'other folder')} are not in the export`);
  if (begun.lost.length > 0) note(`${count(begun.lost.length, 'snapshot')} of files are damaged and not in the export`);
  const { folder, transfer } = begun;
  try {
    yield* packPieces(client, begun);
    yield* notedFiles(tree, { client, begun, rows });
  } finally {
    await client.call('files.transfer_drop', { folder, transfer });
  }
}

async function* packPieces(client: Client, { folder, transfer, packs }: Begun): AsyncGenerator<PackData> {
  for (const { sha256: pack, size_bytes: bytes } of packs) {
    for (let offset = 0; offset < bytes; ) {
      const { data } = await client.call('files.export_read', { folder, transfer, pack, offset });
      yield { kind: 'pack_data', pack, offset, data };
      offset += Math.max(1, Buffer.byteLength(data, 'base64'));
    }
  }
}

async function* notedFiles(
  tree: TreeId,
  { client, begun, rows }: { client: Client; begun: Begun; rows: number },
): AsyncGenerator<NotedFiles> {
  const lost = new Set(begun.lost);
  let left = rows;
  for await (const { folder, ...noted } of client.pages('loom.snapshot_list', { tree }, 'snapshots')) {
    left -= 1;
    if (left < 0) return;
    if (folder === begun.folder && !lost.has(noted.root)) yield { kind: 'files', ...noted };
  }
}
