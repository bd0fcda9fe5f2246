import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ErrorKind } from '../../hub/protocol/errors.js';
import type { ExportRecord } from '../../hub/protocol/methods/tree_methods.js';
import type { NodeId, Sha256, Tree, TreeId } from '../../hub/protocol/node.js';
import { outputPieces } from '../exec/stored_output.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { type FilesExport, type FilesRecord, recordedFiles } from './export_files.js';

/** A piece of a stored output, in base64; it follows the record of that output. */
export interface OutputData {
  kind: 'output_data';
  sha256: Sha256;
  offset: number;
  data: string;
}

export type PortableRecord = ExportRecord | OutputData | FilesRecord;

/** Ends a file of lines, so that one that was cut off is known. */
export const LAST_RECORD = { kind: 'end' } as const;

export interface RecordOptions {
  client: Client;
  /** Leave out what is damaged. */
  undamaged: boolean;
  /** The project whose recorded files come along; null for none. */
  filesOf: string | null;
  note(text: string): void;
}

/** Everything of a tree and of the sub-session trees that it owns, in the order in which an import takes it. */
export async function* recordsOf(top: Tree, options: RecordOptions): AsyncGenerator<PortableRecord> {
  const sent = new Set<Sha256>();
  for (const trees = [top.id]; trees.length > 0; ) {
    const tree = trees.shift();
    if (tree === undefined) return;
    const nodes = new Set<NodeId>();
    for await (const record of storedRecords(tree, options, sent)) {
      yield record;
      if (record.kind === 'node' && options.filesOf !== null) nodes.add(record.node.id);
    }
    if (options.filesOf !== null) yield* filesAt(tree, nodes, { ...options, project: options.filesOf });
    trees.push(...(await ownedBy(options.client, tree)));
  }
}

async function* storedRecords(
  tree: TreeId,
  options: RecordOptions,
  sent: Set<Sha256>,
): AsyncGenerator<ExportRecord | OutputData> {
  const { client, undamaged } = options;
  for await (const record of client.pages('loom.tree_export', { tree, undamaged }, 'records')) {
    yield record;
    if (record.kind !== 'output' || sent.has(record.sha256)) continue;
    sent.add(record.sha256);
    yield* dataOf(record.sha256, options);
  }
}

/** A node that is damaged is not there to have files. */
async function* filesAt(tree: TreeId, nodes: ReadonlySet<NodeId>, parts: FilesExport): AsyncGenerator<FilesRecord> {
  for await (const record of recordedFiles(tree, parts)) {
    if (record.kind === 'pack_data' || nodes.has(record.node)) yield record;
  }
}

const LOST: Partial<Record<ErrorKind, string>> = { not_found: 'lost', storage_failed: 'damaged' };

async function* dataOf(sha256: Sha256, { client, note }: RecordOptions): AsyncGenerator<OutputData> {
  try {
    for await (const piece of outputPieces(client, sha256)) yield { kind: 'output_data', sha256, ...piece };
  } catch (error) {
    const state = error instanceof HubError ? LOST[error.kind] : undefined;
    if (state === undefined) throw error;
    note(`the stored output ${shortId(sha256)} is ${state} and not in the export`);
  }
}

async function ownedBy(client: Client, owner: TreeId): Promise<TreeId[]> {
  const owned: TreeId[] = [];
  for (const archived of [false, true]) {
    for await (const tree of client.pages('loom.tree_list', { owner, archived }, 'trees')) owned.push(tree.id);
  }
  return owned;
}

/** Every tree of the home that nobody owns, archived ones too. */
export async function* everyTree(client: Client): AsyncGenerator<Tree> {
  for (const archived of [false, true]) yield* client.pages('loom.tree_list', { archived, limit: 1_000 }, 'trees');
}
