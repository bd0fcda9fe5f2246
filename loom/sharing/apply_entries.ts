import { cliCommand } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { parseSharedBody, type Register, type SharedBody } from '../../hub/protocol/methods/sharing_methods.js';
import { findTree, requireTree } from '../store/require_rows.js';
import type { Store } from '../store/store.js';
import { freeName, insertTree } from '../write/change_trees.js';
import {
  createNodeImport,
  expectNodes,
  importNode,
  type NodeImport,
  nodeIds,
  refuseTornSteps,
} from '../write/import_nodes.js';
import { importSettings } from '../write/import_tree.js';
import { conflict, invalid, type WriteContext, type WriteOp } from '../write/write_operation.js';
import { applyRegister } from './apply_register.js';
import { newestNode, noteHub, noteOrigin } from './origins.js';
import { putShare } from './shares.js';

/** So many entries are parsed before they are written: what lives longer is copied by each collection of garbage. */
const PARSED_MAX = 100;

/** Takes entries of a remote: all of one call, or none. */
export const applyEntries: WriteOp<ParsedOf<'loom.share_apply'>> = (
  context,
  { remote, tree, owner, runs, fetched },
) => {
  const { store } = context;
  refuseUnshared(store, { remote, tree });
  const isAllSent = hasSentAll(store, { remote, tree });
  const count = runs.reduce((sum, { bodies }) => sum + bodies.length, 0);
  const nodes = createNodeImport(context, tree, count);
  let added = 0;
  for (const run of runs) {
    const by = noteHub(store, run);
    for (const bodies of parsedParts(run)) {
      expectNodes(
        nodes,
        bodies.flatMap((body) => ('records' in body ? nodeIds(body.records) : [])),
      );
      for (const part of partsOf(bodies)) {
        if ('register' in part) applyRegister(context, requireTree(store, tree), part.register);
        else added += applyPart(nodes, { owner, hub: run.hub, by, part });
      }
    }
  }
  const row = requireTree(store, tree);
  // What came from there need not be looked through for what it lacks.
  putShare(store, row.tree, { remote, sent: isAllSent ? requireTree(store, tree).last_seq : 0, fetched });
  return `{"added":${added}}`;
};

function* parsedParts({ hub, bodies }: ParsedOf<'loom.share_apply'>['runs'][number]): Generator<SharedBody[]> {
  for (let from = 0; from < bodies.length; from += PARSED_MAX) {
    yield bodies.slice(from, from + PARSED_MAX).map((body) => {
      const parsed = parseSharedBody({ hub, body });
      if (typeof parsed === 'string') throw invalid(parsed);
      return parsed;
    });
  }
}

function hasSentAll(store: Store, { remote, tree }: { remote: string; tree: string }): boolean {
  const row = findTree(store, tree);
  if (row === undefined) return true;
  const sql = 'SELECT sent FROM shares WHERE tree = ? AND remote = ?';
  return (store.get<{ sent: number }>(sql, row.tree, remote)?.sent ?? 0) >= row.last_seq;
}

type Records = Extract<SharedBody, { records: unknown }>['records'];

/** A register, or entries that follow each other. */
type Part = { register: Register } | { entries: Records[] };

function partsOf(bodies: readonly SharedBody[]): Part[] {
  const parts: Part[] = [];
  for (const body of bodies) {
    const last = parts.at(-1);
    if ('register' in body) parts.push({ register: body.register });
    else if (last !== undefined && 'entries' in last) last.entries.push(body.records);
    else parts.push({ entries: [body.records] });
  }
  return parts;
}

interface Applied {
  owner: string | null;
  hub: string;
  by: string | null;
  part: Extract<Part, { entries: unknown }>;
}

function applyPart(nodes: NodeImport, { owner, hub, by, part }: Applied): number {
  const { context, id } = nodes;
  const { store } = context;
  const known = findTree(store, id);
  const before = known === undefined ? 0 : newestNode(store, known.tree);
  let added = 0;
  context.countOnce(() => {
    for (const records of part.entries) added += applyRecords(nodes, { owner, records, by });
  });
  if (added > 0 && by !== null) noteOrigin(store, requireTree(store, id).tree, { hub, before });
  return added;
}

/** Whoever can write at a remote could otherwise have a tree sent that nobody has shared: what is taken is shared from then on. */
function refuseUnshared(store: Store, { remote, tree }: { remote: string; tree: string }): void {
  const row = findTree(store, tree);
  if (row === undefined) return;
  if (store.get('SELECT 1 FROM shares WHERE tree = ? AND remote = ?', row.tree, remote) !== undefined) return;
  throw conflict(`the conversation is here and not shared over ${remote}`, [
    'share it: ',
    cliCommand('share', tree.slice(0, 8), remote),
  ]);
}

function applyRecords(
  nodes: NodeImport,
  { owner, records, by }: { owner: string | null; records: Records; by: string | null },
): number {
  const { context, id: tree } = nodes;
  let added = 0;
  for (const record of records) {
    switch (record.kind) {
      case 'tree':
        if (record.tree.id !== tree) throw invalid(`an entry of tree ${tree} is of tree ${record.tree.id}`);
        beginTree(context, record.tree, owner);
        break;
      case 'settings':
        importSettings(context, record);
        break;
      case 'node':
        if (importNode(nodes, record.node, by)) added += 1;
        break;
      case 'mark':
      case 'archived':
      case 'output':
        throw invalid(`an entry of tree ${tree} has a record of the kind ${record.kind}`);
    }
  }
  refuseTornSteps(context.store, tree, records);
  return added;
}

function beginTree(
  context: WriteContext,
  tree: Extract<Records[number], { kind: 'tree' }>['tree'],
  owner: string | null,
): void {
  if (owner !== null && tree.owner?.tree !== owner) throw invalid(`tree ${tree.id} does not belong to ${owner}`);
  if (findTree(context.store, tree.id) !== undefined) return;
  const name = freeName(context.store, tree.name);
  insertTree(context, {
    ...tree,
    name,
    project: null,
    importing: false,
    createdAtMs: tree.created_at_ms,
  });
}
