import { HubError } from '../../hub/base/error.js';
import { cursorNumber, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import { listedJson, listedPreview } from '../store/damaged_row.js';
import { requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { dashed, IS_SILENT } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { withDescendants } from './archived_descendants.js';
import type { ReadParams } from './read_methods.js';
import { skeletonRow } from './read_nodes.js';

const WALK_ROWS = 2_000;
/** How many leaves one slice walks up from; most forks are near. */
const SLICE_LEAVES = 50;

/** The SQL of leaves and forks, as seen with or without archived branches. */
export interface LeafQueries {
  /** Newest first. Every node is returned, because leaves may be rare. */
  nodesBefore: string;
  upToFork: string;
}

const shownOnly = (node: string) => `AND NOT EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = ${node})`;

export function leafQueries(archived: boolean): LeafQueries {
  const visibleOnly = archived ? '' : shownOnly('c.seq');
  return {
    nodesBefore: `
      SELECT n.seq, NOT EXISTS (SELECT 1 FROM nodes c WHERE c.parent = n.seq ${visibleOnly}) AS is_leaf
      FROM nodes n WHERE n.tree = ? AND n.seq < ? ORDER BY n.seq DESC LIMIT ${WALK_ROWS}`,
    // Climbs while the parent has no other child; the last row is the root or a fork point.
    upToFork: `
      WITH RECURSIVE up (seq, parent, alone) AS (
        SELECT seq, parent, 1 FROM nodes WHERE seq = ?
        UNION ALL
        SELECT n.seq, n.parent,
          NOT EXISTS (SELECT 1 FROM nodes c WHERE c.parent = n.seq AND c.seq <> up.seq ${visibleOnly})
        FROM up CROSS JOIN nodes n ON n.seq = up.parent AND n.seq < up.seq WHERE up.alone
        LIMIT ${WALK_ROWS}
      )
      SELECT up.seq, up.parent, up.alone, n.role, ${IS_SILENT} AS silent FROM up CROSS JOIN nodes n ON n.seq = up.seq`,
  };
}

interface PathRow {
  seq: number;
  parent: number | null;
  alone: number;
  role: string;
  /** An answer that only calls tools is not listed. */
  silent: number;
}

/** Newest first. A leaf has no visible children. */
export function* listLeaves(context: ReadContext, params: ReadParams['loom.context_list_leaves']): Slices<string> {
  const { store } = context;
  const { tree } = requireTree(store, params.tree);
  const view = yield* viewOf(context, tree, params);
  const queries = leafQueries(view.archived);
  const leaves: string[] = [];
  let before: number | null = cursorNumber(params.cursor, Number.MAX_SAFE_INTEGER);
  while (before !== null) {
    const slice: LeafSlice = leavesBefore(store, queries.nodesBefore, { tree, before });
    for (const seq of slice.leaves) {
      if (!view.isShown(seq)) continue;
      if (leaves.length === params.limit) return pageJson('leaves', leaves, before);
      leaves.push(leafJson(store, seq, yield* pathToFork(store, queries.upToFork, seq)));
      before = seq;
      if (leaves.length % SLICE_LEAVES === 0) yield;
    }
    before = slice.next;
    yield;
  }
  return pageJson('leaves', leaves, null);
}

/** The number of visible branches of a tree. */
export function* countLeaves(context: ReadContext, tree: number): Slices<number> {
  const hidden = yield* context.hidden.nodesOf(context.store, tree);
  const { nodesBefore } = leafQueries(false);
  let count = 0;
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const slice: LeafSlice = leavesBefore(context.store, nodesBefore, { tree, before });
    count += slice.leaves.filter((seq) => !hidden.has(seq)).length;
    before = slice.next;
    yield;
  }
  return count;
}

/** The leaves of one slice of nodes, and the number before which the next slice begins; null at the end. */
interface LeafSlice {
  leaves: number[];
  next: number | null;
}

function leavesBefore(
  store: Store,
  nodesBefore: string,
  { tree, before }: { tree: number; before: number },
): LeafSlice {
  const rows = store.all<{ seq: number; is_leaf: number }>(nodesBefore, tree, before);
  const leaves = rows.filter((row) => row.is_leaf === 1).map((row) => row.seq);
  return { leaves, next: rows.length < WALK_ROWS ? null : (rows.at(-1)?.seq ?? null) };
}

interface View {
  archived: boolean;
  isShown(seq: number): boolean;
}

/** Below a node in an archived branch everything is visible, since the caller stands there. */
function* viewOf(context: ReadContext, tree: number, params: ReadParams['loom.context_list_leaves']): Slices<View> {
  const { store } = context;
  const hidden = params.archived ? new Set<number>() : yield* context.hidden.nodesOf(store, tree);
  if (params.under === null) return { archived: params.archived, isShown: (seq) => !hidden.has(seq) };
  const top = requireNodeOfTree(store, params.under, params.tree).seq;
  const below = yield* withDescendants(store, tree, top);
  if (hidden.has(top)) return { archived: true, isShown: (seq) => below.has(seq) };
  return { archived: params.archived, isShown: (seq) => below.has(seq) && !hidden.has(seq) };
}

/** The path from a leaf up to its fork point. */
interface PathToFork {
  /** The listed nodes below the top. */
  length: number;
  /** The fork point, or the root. */
  top: PathRow;
  /** The first node below the top, and the first user node. */
  first: number | null;
  firstUserNode: number | null;
}

function* pathToFork(store: Store, upToFork: string, leaf: number): Slices<PathToFork> {
  let path: PathToFork | undefined;
  for (let from: number | null = leaf; from !== null; ) {
    const steps: PathRow[] = store.all<PathRow>(upToFork, from);
    for (const step of steps) path = extendPath(path, step);
    const last = steps.at(-1);
    from = last === undefined || isEnd(last) || steps.length < WALK_ROWS ? null : last.seq;
    if (from !== null) yield;
  }
  if (path === undefined) throw purgedMeanwhile(leaf);
  return path;
}

// A slice begins with the last row of the one before, which changes nothing.
function extendPath(path: PathToFork | undefined, step: PathRow): PathToFork {
  if (path?.top.seq === step.seq) return path;
  const { length = 0, first = null, firstUserNode = null } = path ?? {};
  if (isEnd(step)) return { length, top: step, first, firstUserNode };
  return {
    length: length + 1 - step.silent,
    ...{ top: step, first: step.seq, firstUserNode: step.role === 'user' ? step.seq : firstUserNode },
  };
}

function isEnd(step: PathRow): boolean {
  return step.alone === 0 || step.parent === null;
}

function leafJson(store: Store, leaf: number, path: PathToFork): string {
  const node = skeletonRow(store, leaf);
  const fork = skeletonRow(store, path.top.seq);
  if (node === undefined || fork === undefined) throw purgedMeanwhile(leaf);
  const differing = path.firstUserNode ?? path.first;
  const row = differing === null ? undefined : skeletonRow(store, differing);
  const differs = row === undefined ? '' : listedPreview(row);
  return (
    `{"node":${listedJson(node)},"fork":"${dashed(fork.id)}","differs":${JSON.stringify(differs)},` +
    `"length":${path.length}}`
  );
}

function purgedMeanwhile(seq: number): HubError {
  return new HubError('not_found', `node number ${seq} was purged while it was read`, { retryable: true });
}
