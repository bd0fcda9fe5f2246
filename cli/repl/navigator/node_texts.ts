import type { Client } from '../../../hub/client/client.js';
import type { NodeId, SkeletonNode, TreeId } from '../../../hub/protocol/node.js';
import { comparedText } from '../../position/longer_previews.js';
import { nodeText } from '../../render/node/node_text.js';
import type { Hit } from '../../render/tree/search_hits.js';
import { siblingsApart } from './alike_lines.js';
import { excerptOf } from './preview_lines.js';

/** The texts of a tree, fetched for what is visible. */
export interface Contents {
  /** The lines of nodes by their `seq`; null for those that are being fetched. */
  lines(seqs: readonly number[]): (SkeletonNode | null)[];
  /** Fetches the lines of the first of these nodes. */
  fetch(seqs: readonly number[]): Promise<void>;
  /** The first lines of a node's text; null while they are fetched. */
  preview(seq: number): readonly string[] | null;
  /** The lines around the first match of these words in a node's text. */
  around(node: NodeId, words: string): readonly string[] | null;
  marks(): Promise<Map<number, string[]>>;
  seqOf(node: NodeId): Promise<number>;
  idOf(seq: number): Promise<NodeId>;
  textOf(node: NodeId): Promise<string>;
  /** Null when another search was started meanwhile. */
  search(query: string): Promise<Hit[] | null>;
}

const CACHED_LINES_MAX = 5_000;
const CACHED_SEQS_MAX = 10_000;
/** How many nodes of marks are requested at once: thousands one after the other take seconds. */
const MARKS_AT_ONCE = 64;
const CACHED_PREVIEWS_MAX = 200;
const HITS_MAX = 200;
/** Nodes per request. */
const WINDOW_MAX = 200;

/** `onFetched` is called when something has been fetched. */
export function createContents(client: Client, tree: TreeId, onFetched: () => void): Contents {
  const lines = boundedMap<number, SkeletonNode>(CACHED_LINES_MAX);
  const previews = boundedMap<string, readonly string[]>(CACHED_PREVIEWS_MAX);
  const compared = boundedMap<NodeId, string>(CACHED_PREVIEWS_MAX);
  const pending = new Set<number | string>();
  const seqOf = seqsOf(client);

  const fetchLines = async (seqs: readonly number[]): Promise<SkeletonNode[]> => {
    const { nodes } = await client.call('loom.tree_get_lines', { tree, seqs: [...seqs] });
    for (const node of nodes) lines.set(node.seq, node);
    return nodes;
  };

  /** Fetches what is not being fetched yet; a failed request is made again when its text is needed again. */
  const fetchMissing = <K extends number | string>(
    wanted: readonly K[],
    fetch: (missing: K[]) => Promise<readonly unknown[]>,
  ): void => {
    const missing = wanted.filter((key) => !pending.has(key)).slice(0, WINDOW_MAX);
    if (missing.length === 0) return;
    for (const key of missing) pending.add(key);
    const done = (results: readonly unknown[]): void => {
      for (const key of missing) pending.delete(key);
      if (results.length > 0) onFetched();
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
    const within = previews.get(key);
    if (within !== undefined) return within;
    fetchMissing([key], async () => {
      const lines = excerptOf(await textOf(await node()), words);
      previews.set(key, lines);
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
      const told = seqs.map((seq) => lines.get(seq) ?? null);
      return siblingsApart(told, compared.get, (nodes) => fetchMissing(nodes, readCompared(client, compared.set)));
    },
    preview: (seq) => excerpt(`${seq}`, () => idOf(seq), ''),
    around: (node, words) => excerpt(`${node} ${words}`, async () => node, words),
  };
}

/** Reads what of texts is compared with others. */
function readCompared(client: Client, set: (node: NodeId, text: string) => void) {
  return async (ids: readonly NodeId[]): Promise<readonly unknown[]> => {
    const read = await Promise.all(ids.map(async (node) => (await client.call('loom.node_get', { node })).node));
    for (const node of read) set(node.id, comparedText(node));
    return read;
  };
}

/** The `seq` of a node never changes, so it is cached. */
function seqsOf(client: Client): Contents['seqOf'] {
  const seqs = boundedMap<NodeId, number>(CACHED_SEQS_MAX);
  return async (node) => {
    const seq = seqs.get(node) ?? (await client.call('loom.node_get', { node })).node.seq;
    seqs.set(node, seq);
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
    const results = await Promise.all(some.map(async ([node, nodeNames]) => [await seqOf(node), nodeNames] as const));
    for (const [seq, nodeNames] of results) marks.set(seq, nodeNames);
  }
  return marks;
}

/** Each search aborts the one before it. */
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

/** A map of the values that were set last, up to a limit. */
function boundedMap<K, T>(limit: number) {
  const values = new Map<K, T>();
  return {
    get: (node: K): T | undefined => values.get(node),
    set(node: K, value: T): void {
      values.set(node, value);
      for (const oldest of values.keys()) {
        if (values.size <= limit) return;
        values.delete(oldest);
      }
    },
  };
}
