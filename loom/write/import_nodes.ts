import type { HubError } from '../../hub/base/error.js';
import type { ExportRecord } from '../../hub/protocol/methods/tree_methods.js';
import type { PortableNode } from '../../hub/protocol/node.js';
import { findTree } from '../store/require_rows.js';
import { dashed, idBlob, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { findNode, type StoredNode } from './find_rows.js';
import { draftHash, encodeDraft, type NodeDraft, type Placement, storeNode, tellNode } from './insert_node.js';
import { conflict, invalid, type WriteContext } from './write_operation.js';

/** Of a call with more nodes than this watchers read the nodes from the disk, a page at a time. */
const TOLD_MAX = 200;

/** The import of the nodes of one call into one tree, with what is known of them by now. */
export interface NodeImport {
  context: WriteContext;
  /** Its id. */
  id: string;
  isTold: boolean;
  /** Whether any of the nodes that come next was here before. */
  isAnyHere: boolean;
  tree: TreeRow | null;
  /** The nodes that this call has added, by their ids. */
  added: Map<string, Added>;
}

export function nodeIds(records: readonly ExportRecord[]): string[] {
  return records.flatMap((record) => (record.kind === 'node' ? [record.node.id] : []));
}

type Added = Omit<StoredNode, 'parent'> & { hasChild: boolean };

export function createNodeImport(context: WriteContext, id: string, atLeast: number): NodeImport {
  return { context, id, isTold: atLeast <= TOLD_MAX, isAnyHere: false, tree: null, added: new Map() };
}

/** To be called before the nodes of these ids are imported. */
export function expectNodes(into: NodeImport, ids: readonly string[]): void {
  const here = JSON.stringify(ids.map((id) => id.replaceAll('-', '')));
  into.isAnyHere = into.context.store.get(ANY_HERE, here) !== undefined;
  into.isTold &&= into.added.size + ids.length <= TOLD_MAX;
}

const ANY_HERE = 'SELECT 1 FROM json_each(?) given CROSS JOIN nodes n ON n.id = unhex(given.value) LIMIT 1';

type Hashed = Pick<StoredNode, 'hash'>;
const HASH = 'SELECT hash FROM nodes WHERE id = ?';

/** Returns whether the node was new; `by` is whose it is, when another hub sent it. */
export function importNode(into: NodeImport, node: PortableNode, by: string | null = null): boolean {
  const { context, added } = into;
  if (node.tree !== into.id) throw invalid(`node ${node.id} is not of tree ${into.id}`);
  const existing =
    added.get(node.id) ?? (into.isAnyHere ? context.store.get<Hashed>(HASH, idBlob(node.id)) : undefined);
  if (existing !== undefined) {
    if (existing.hash.toString('hex') === node.hash) return false;
    throw conflict(`node ${node.id} is here already, with other contents`, 'the file does not fit this home');
  }
  if (!isPossible(node))
    throw invalid(`node ${node.id} is of a form that no home can have made`, 'the file was made up');
  into.tree ??= requireImportedTree(context.store, into.id);
  const above = requireParent(into, into.tree, node);
  const placement: Placement = {
    tree: into.tree,
    above,
    createdAtMs: node.created_at_ms,
    outputs: 'from_file',
    by,
    // Of one that this call has added, all children are known.
    siblings: above !== null && 'hasChild' in above && !above.hasChild ? { isAny: false, isAnyVisible: false } : null,
  };
  const draft = encodeDraft(draftOf(node));
  if (draftHash(draft, placement) !== node.hash) throw damagedError(`node ${node.id}`);
  const stored = storeNode(context, { draft, hash: node.hash }, placement);
  if (into.isTold) tellNode(context, stored, { draft, placement });
  else context.publish({ seq: stored.seq, tree: node.tree, kind: 'node_created', fields: null });
  const { step, step_index, step_size } = stored.listed;
  const { seq, id, depth, hash } = stored;
  added.set(node.id, { seq, id, depth, hash, tree: into.tree.tree, step, step_index, step_size, hasChild: false });
  if (above !== null && 'hasChild' in above) above.hasChild = true;
  return true;
}

function draftOf(node: PortableNode): NodeDraft {
  const { id, role, step, settings, blocks, meta } = node;
  return { id, role, step, settings, blocks, external: node.kind === 'external' ? node.external : null, meta };
}

/** Whether the write operations could have made such a node: a forged file has valid hashes as well. */
export function isPossible(node: PortableNode): boolean {
  const { id, role, parent, step } = node;
  if ((role === 'root') !== (parent === null)) return false;
  const isAnswer = step !== null && step.index > 0;
  if (step !== null && step.index >= step.size) return false;
  if (step?.index === 0 && (role !== 'assistant' || step.id !== id)) return false;
  if (node.kind === 'text') return !isAnswer;
  return (node.external.call.id !== null) === isAnswer;
}

function requireParent(
  { context, added }: NodeImport,
  tree: TreeRow,
  node: PortableNode,
): Added | Omit<StoredNode, 'parent'> | null {
  if (node.parent === null) {
    if (!idBlob(node.id).equals(idBlob(tree.id))) throw invalid(`node ${node.id} has no parent and is not the root`);
    return null;
  }
  const above = added.get(node.parent) ?? findNode(context.store, node.parent);
  if (above === undefined || above.tree !== tree.tree) {
    throw invalid(
      `node ${node.id} comes before its parent ${node.parent}`,
      'records must stand in the order of the export',
    );
  }
  if (!fitsBelow(above, node)) throw damagedError(`the step around node ${node.id}`);
  return above;
}

/** A node stands below a settled one, or below the previous node of its own step. */
function fitsBelow(above: Omit<StoredNode, 'parent'>, node: PortableNode): boolean {
  const index = node.step?.index ?? 0;
  if (index === 0) return above.step_size === null || above.step_index === above.step_size - 1;
  return (
    above.step !== null &&
    dashed(above.step) === node.step?.id &&
    above.step_size === node.step.size &&
    above.step_index === index - 1
  );
}

/** After these records every step that they touch must be whole. */
export function refuseTornSteps(store: Store, tree: string, records: readonly ExportRecord[]): void {
  const ended = new Set<string>();
  for (const record of records) {
    const step = record.kind === 'node' ? record.node.step : null;
    // Each node of a step stands below the one before.
    if (step !== null && step.index === step.size - 1) ended.add(step.id);
  }
  for (const record of records) {
    if (record.kind !== 'node' || record.node.step?.index !== 0 || ended.has(record.node.step.id)) continue;
    const { id, size } = record.node.step;
    const end = store.get(
      `WITH RECURSIVE down (seq, step_index) AS (
         SELECT seq, step_index FROM nodes WHERE id = ?
         UNION ALL SELECT n.seq, n.step_index FROM down CROSS JOIN nodes n ON n.parent = down.seq AND n.step = ?
       )
       SELECT 1 FROM down WHERE step_index = ?`,
      ...[idBlob(id), idBlob(id), size - 1],
    );
    if (end === undefined) {
      throw invalid(`step ${id} of tree ${tree} is not whole`, 'give all nodes of a step in one call');
    }
  }
}

export function requireImportedTree(store: Store, id: string): TreeRow {
  const row = findTree(store, id);
  if (row !== undefined) return row;
  throw invalid(`the records of tree ${id} do not begin with the tree itself`, 'the file is not a whole export');
}

export function damagedError(what: string): HubError {
  return invalid(
    `${what} does not match its hash: the file was changed or damaged`,
    'export it again where it came from',
  );
}
