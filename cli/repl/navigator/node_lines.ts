import type { Client } from '../../../hub/client/client.js';
import type { NodeId, SkeletonNode, TreeId } from '../../../hub/protocol/node.js';
import { nodeText } from '../../render/node/node_text.js';
import type { Hit } from '../../render/tree/search_hits.js';
import { excerptOf } from './preview_lines.js';

/** What is said in a tree, fetched where somebody looks. */
export interface Contents {
  /** What a list shows of nodes, by their numbers; null for what is being fetched, which is told when it is there. */
  lines(seqs: readonly number[]): (SkeletonNode | null)[];
  /** Fetches what a list shows of the first of these nodes, so that it is there when it is first drawn. */
  fetch(seqs: readonly number[]): Promise<void>;
  /** The first lines of what a node says; null while they are fetched. */
  preview(seq: number): readonly string[] | null;
  /** The lines around the first place where a node says these words. */
  around(node: NodeId, words: string): readonly string[] | null;
  marks(): Promise<Map<number, string[]>>;
  seqOf(node: NodeId): Promise<number>;
  idOf(seq: number): Promise<NodeId>;
  textOf(node: NodeId): Promise<string>;
  /** Null when another search was asked for meanwhile. */
  search(query: string): Promise<Hit[] | null>;
}

const KEPT_LINES_MAX = 5_000;
const KEPT_SEQS_MAX = 10_000;
/** How many places of marks are asked for at once: of thousands each one after the other takes seconds. */
const MARKS_AT_ONCE = 64;
const KEPT_PREVIEWS_MAX = 200;
const HITS_MAX = 200;
/** Nodes that are asked for at once. */
const WINDOW_MAX = 200;

/** `changed` is called when something has come that was asked for. */
export function createContents(client: Client, tree: TreeId, changed: () => void): Contents {
  const lines = newest<number, SkeletonNode>(KEPT_LINES_MAX);
  const previews = newest<string, readonly string[]>(KEPT_PREVIEWS_MAX);
  const asked = new Set<number | string>();
  const seqOf = seqsOf(client);

  const fetchLines = async (seqs: readonly number[]): Promise<SkeletonNode[]> => {
    const { nodes } = await client.call('loom.tree_get_lines', { tree, seqs: [...seqs] });
    for (const node of nodes) lines.keep(node.seq, node);
    return nodes;
  };

  /** Fetches what is not on its way yet; what fails is asked for again when it is looked at again. */
  const fetchMissing = <K extends number | string>(
    wanted: readonly K[],
    fetch: (missing: K[]) => Promise<readonly unknown[]>,
  ): void => {
    const missing = wanted.filter((key) => !asked.has(key)).slice(0, WINDOW_MAX);
    if (missing.length === 0) return;
    for (const key of missing) asked.add(key);
    const done = (found: readonly unknown[]): void => {
      for (const key of missing) asked.delete(key);
      if (found.length > 0) changed();
    };
    fetch(missing).then(done, () => done([]));
  };

  const idOf = async (seq: number): Promise<NodeId> => {
    const node = lines.get(seq) ?? (await fetchLines([seq]))[0];
    if (node === undefined) throw new Error('that node is not there any more');
    return node.id;
  };

  const textOf = async (id: NodeId): Promise<string> =>
    nodeText((await client.call('loom.node_get', { node: id })).node);

  const excerpt = (key: string, node: () => Promise<NodeId>, words: string): readonly string[] | null => {
    const known = previews.get(key);
    if (known !== undefined) return known;
    fetchMissing([key], async () => {
      const lines = excerptOf(await textOf(await node()), words);
      previews.keep(key, lines);
      return lines;
    });
    return null;
  };

  return {
    idOf,
    textOf,
    marks: () => marksOf(client, tree, seqOf),
    seqOf,
    search: latestSearch(client, tree),
    async fetch(seqs) {
      await fetchLines(seqs.slice(0, WINDOW_MAX));
    },
    lines(seqs) {
      const missing = seqs.filter((seq) => lines.get(seq) === undefined);
      fetchMissing(missing, fetchLines);
      return seqs.map((seq) => lines.get(seq) ?? null);
    },
    preview: (seq) => excerpt(`${seq}`, () => idOf(seq), ''),
    around: (node, words) => excerpt(`${node} ${words}`, async () => node, words),
  };
}

/** What is asked for again and again never changes: the number of a node. */
function seqsOf(client: Client): Contents['seqOf'] {
  const seqs = newest<NodeId, number>(KEPT_SEQS_MAX);
  return async (node) => {
    const seq = seqs.get(node) ?? (await client.call('loom.node_get', { node })).node.seq;
    seqs.keep(node, seq);
    return seq;
  };
}

async function marksOf(client: Client, tree: TreeId, seqOf: Contents['seqOf']): Promise<Map<number, string[]>> {
  const names = new Map<NodeId, string[]>();
  for await (const { node, name } of client.pages('loom.mark_list', { tree }, 'marks')) {
    names.set(node, [...(names.get(node) ?? []), name]);
  }
  const all = [...names];
  const marks = new Map<number, string[]>();
  for (let from = 0; from < all.length; from += MARKS_AT_ONCE) {
    const some = all.slice(from, from + MARKS_AT_ONCE);
    const found = await Promise.all(some.map(async ([node, named]) => [await seqOf(node), named] as const));
    for (const [seq, named] of found) marks.set(seq, named);
  }
  return marks;
}

/** A search that gives up the one before it. */
function latestSearch(client: Client, tree: TreeId): Contents['search'] {
  let latest = new AbortController();
  return async (query) => {
    latest.abort();
    const own = new AbortController();
    latest = own;
    try {
      const { hits } = await client.call('loom.search', { tree, query, limit: HITS_MAX }, { signal: own.signal });
      return own.signal.aborted ? null : hits;
    } catch (error) {
      if (own.signal.aborted) return null;
      throw error;
    }
  };
}

/** Keeps the newest values, by their node. */
function newest<K, T>(most: number) {
  const kept = new Map<K, T>();
  return {
    get: (node: K): T | undefined => kept.get(node),
    keep(node: K, value: T): void {
      kept.set(node, value);
      for (const oldest of kept.keys()) {
        if (kept.size <= most) return;
        kept.delete(oldest);
      }
    },
  };
}
