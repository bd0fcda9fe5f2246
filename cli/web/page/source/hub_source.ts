import type { Node, Tree, TreeId } from '../../../../hub/protocol/node.js';
import { addPage, type Columns } from '../core/tree_columns.js';
import { followTree } from './hub_live.js';
import type { HubSocket } from './hub_socket.js';
import { createNodeIds, isTreeId, type NodeIds } from './node_ids.js';
import { pageActs } from './page_acts.js';
import type { ChangedFile, MarkPlace, NodeCost, PathPart, RaceLane, Source, TreeChoice } from './source.js';

const HITS_MAX = 100;
const TREES_MAX = 5_000;
const PAGE_NODES = 500;

/** What the process says of itself. */
export interface PageStart {
  version: string;
  project: string;
  current: string | null;
  can_write: boolean;
}

export interface HubSourceParts {
  hub: HubSocket;
  start: PageStart;
  /** Goes to another address within the page, and reads it anew. */
  go(hash: string): void;
  reload(): void;
}

/** A tree of a hub, live. */
export async function hubSource(parts: HubSourceParts, id: string): Promise<Source> {
  const { hub, start, go, reload } = parts;
  if (!isTreeId(id)) throw new Error('the address names no conversation');
  const info = await hub.call('loom.tree_get', { tree: id });
  const tree = info.id;
  const ids = createNodeIds(hub, tree);
  const marks = (): Promise<readonly MarkPlace[]> => readMarks(hub, tree);
  return {
    kind: 'hub',
    name: nameOf(info),
    load: (columns) => load(hub, tree, columns),
    trees: () => listTrees(hub, start.project),
    open: (other) => go(`tree=${other}`),
    async lines(seqs) {
      const { nodes } = await hub.call('loom.tree_get_lines', { tree, seqs: [...seqs] });
      for (const node of nodes) ids.note(node);
      return nodes;
    },
    nodes: (part) => readPath({ hub, ids }, part),
    marks,
    search: async (query) => (await hub.call('loom.search', { tree, query, limit: HITS_MAX })).hits,
    costs: () => readCosts(hub, tree),
    here: async () => (await hub.ask<{ seq: number | null }>('page.position', { tree })).seq,
    live: (listener) => followTree({ hub, tree, ids, since: info.last_seq, marks, reload }, listener),
    race: () => readRace({ hub, ids }, tree),
    async files(from, to) {
      const ends = { tree, from: await ids.idOf(from), to: await ids.idOf(to) };
      return (await hub.ask<{ files: ChangedFile[] | null }>('page.files', ends)).files;
    },
    write: start.can_write ? pageActs({ hub, tree, ids }) : null,
  };
}

/** What a person calls a conversation. */
function nameOf({ id, name, title }: Pick<Tree, 'id' | 'name' | 'title'>): string {
  return name ?? (title || id.slice(0, 8));
}

/** All conversations, those of this project first. */
export async function listTrees(hub: HubSocket, project: string): Promise<TreeChoice[]> {
  const all: Tree[] = [];
  let cursor: string | null = null;
  do {
    const page: { trees: Tree[]; cursor: string | null } = await hub.call('loom.tree_list', {
      limit: 1_000,
      ...after(cursor),
    });
    all.push(...page.trees);
    cursor = page.cursor;
  } while (cursor !== null && all.length < TREES_MAX);
  const isHere = (tree: Tree): boolean => tree.project === project;
  return [...all.filter(isHere), ...all.filter((tree) => !isHere(tree))];
}

async function load(hub: HubSocket, tree: TreeId, columns: Columns): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: Parameters<typeof addPage>[1] & { cursor: string | null } = await hub.call('loom.tree_get_shape', {
      tree,
      ...after(cursor),
    });
    addPage(columns, page);
    cursor = page.cursor;
  } while (cursor !== null);
}

async function readPath({ hub, ids }: { hub: HubSocket; ids: NodeIds }, { seqs, depth }: PathPart): Promise<Node[]> {
  const last = seqs.at(-1);
  if (last === undefined) return [];
  const wanted = new Set(seqs);
  const node = await ids.idOf(last);
  const found: Node[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE_NODES, Math.max(1, seqs.length - found.length));
    const page: { nodes: Node[]; cursor: string | null } = await hub.call('loom.context_get_path', {
      ...{ node, from_depth: depth, limit },
      ...after(cursor),
    });
    for (const one of page.nodes) ids.note(one);
    found.push(...page.nodes.filter(({ seq }) => wanted.has(seq)));
    cursor = page.cursor;
  } while (cursor !== null && found.length < seqs.length);
  return found;
}

type LaneAnswer = Omit<RaceLane, 'tip'> & { tip: string };

async function readRace({ hub, ids }: { hub: HubSocket; ids: NodeIds }, tree: TreeId): Promise<RaceLane[]> {
  const { lanes } = await hub.ask<{ lanes: LaneAnswer[] }>('page.race', { tree });
  return Promise.all(lanes.map(async (lane) => ({ ...lane, tip: await ids.seqOf(lane.tip) })));
}

async function readMarks(hub: HubSocket, tree: TreeId): Promise<MarkPlace[]> {
  const marks: MarkPlace[] = [];
  let cursor: string | null = null;
  do {
    const page: { marks: MarkPlace[]; cursor: string | null } = await hub.call('loom.mark_list', {
      ...{ tree, limit: 1_000 },
      ...after(cursor),
    });
    marks.push(...page.marks);
    cursor = page.cursor;
  } while (cursor !== null);
  return marks;
}

/** Several requests may count at one node: those that failed before its answer. */
async function readCosts(hub: HubSocket, tree: TreeId): Promise<Map<number, NodeCost>> {
  const costs = new Map<number, NodeCost>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof costPage>> = await costPage(hub, tree, cursor);
    for (const [index, seq] of page.seq.entries()) {
      const before = costs.get(seq);
      const cached = page.tokens_cache_read[index] ?? 0;
      const written = page.tokens_cache_write[index] ?? 0;
      costs.set(seq, {
        price_microdollars: (before?.price_microdollars ?? 0) + (page.price_microdollars[index] ?? 0),
        tokens_in: (before?.tokens_in ?? 0) + (page.tokens_in[index] ?? 0) + cached + written,
        tokens_out: (before?.tokens_out ?? 0) + (page.tokens_out[index] ?? 0),
        tokens_cached: (before?.tokens_cached ?? 0) + cached,
        model: page.models[page.model[index] ?? 0] ?? '',
      });
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return costs;
}

function costPage(hub: HubSocket, tree: TreeId, cursor: string | null) {
  return hub.call('loom.cost_shape', { tree, ...after(cursor) });
}

function after(cursor: string | null): { cursor?: string } {
  return cursor === null ? {} : { cursor };
}
