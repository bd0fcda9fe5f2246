import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, Sha256, TreeId } from '../../hub/protocol/node.js';
import { rootOf } from '../position/reference.js';
import type { FilesRecord, NotedFiles, PackData } from './export_files.js';

/** Takes the recorded files of an export, tree by tree. */
export interface FilesImport {
  /** A tree begins, whose files are to be those of a project. */
  begin(project: string): void;
  /** A node of it is in the file. */
  addNode(node: NodeId): void;
  take(record: FilesRecord): Promise<void>;
  /** Refuses what is not what it says, before anything of the tree is there. */
  prove(): Promise<void>;
  /** Stores what was proven, for a tree that is there; tells for how many nodes. */
  store(tree: TreeId): Promise<number>;
  /** Removes what is under way. */
  drop(): Promise<void>;
}

const ROWS_AT_ONCE = 1_000;
const ROOTS_MAX = 90_000;
const ROWS_MAX = 500_000;

interface Begun {
  project: string;
  place: ResultOf<'files.import_begin'> | null;
  nodes: Set<NodeId>;
  rows: Omit<NotedFiles, 'kind'>[];
}

export function createFilesImport(client: Client): FilesImport {
  const newly = (project: string): Begun => ({ project, place: null, nodes: new Set(), rows: [] });
  let begun = newly('');

  const placeOf = async (): Promise<ResultOf<'files.import_begin'>> => {
    begun.place ??= await client.call('files.import_begin', { project: begun.project });
    return begun.place;
  };
  const roots = (): Sha256[] => [...new Set(begun.rows.map(({ root }) => root))];

  async function takePiece({ pack, offset, data }: PackData): Promise<void> {
    await client.call('files.import_write', { ...(await placeOf()), pack, offset, data });
  }

  function takeRow({ kind: _kind, ...row }: NotedFiles): void {
    if (!begun.nodes.has(row.node)) throw refused(`the node ${row.node} is not in the file`);
    begun.rows.push(row);
    if (begun.rows.length > ROWS_MAX) throw refused(`it has more than ${ROWS_MAX} snapshots`);
  }

  return {
    begin(project) {
      begun = newly(project);
    },
    addNode(node) {
      begun.nodes.add(node);
    },
    async take(record) {
      if (record.kind === 'pack_data') await takePiece(record);
      else takeRow(record);
    },
    async prove() {
      const wanted = roots();
      if (wanted.length > ROOTS_MAX) throw refused(`it has more than ${ROOTS_MAX} snapshots`);
      if (wanted.length > 0) await client.call('files.import_check', { ...(await placeOf()), roots: wanted });
    },
    async store(tree) {
      const { rows } = begun;
      if (rows.length === 0) return 0;
      const { folder, transfer } = await placeOf();
      const { newest } = await client.call('loom.snapshot_find', { tree, folder });
      const { empty } = await client.call('files.import_end', { folder, transfer, roots: roots() });
      begun.place = null;
      // Of a folder in which it has not been it knows nothing: what is there is the person's.
      const stands = newest === null ? { node: rootOf(tree), folder, root: empty } : null;
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        const snapshots = rows.slice(at, at + ROWS_AT_ONCE).map((row) => ({ ...row, folder }));
        await client.call('loom.snapshot_import', {
          tree,
          snapshots,
          stands: at + ROWS_AT_ONCE < rows.length ? null : stands,
        });
      }
      return new Set(rows.map(({ node }) => node)).size;
    },
    async drop() {
      const { place } = begun;
      begun.place = null;
      if (place !== null) await client.call('files.transfer_drop', place);
    },
  };
}

const nothing = async (): Promise<void> => undefined;

/** Leaves out what a file has of recorded files. */
export const NO_FILES: FilesImport = {
  begin: () => undefined,
  addNode: () => undefined,
  take: nothing,
  prove: nothing,
  store: async () => 0,
  drop: nothing,
};

function refused(reason: string): HubError {
  return new HubError('invalid_params', `the recorded files cannot be imported: ${reason}`, {
    hint: 'nothing of them was taken; without --files the conversation alone is',
  });
}
