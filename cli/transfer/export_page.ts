import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Mark, Node, NodeId, Tree } from '../../hub/protocol/node.js';
import type { Sink } from '../output/sink.js';
import { readSkeleton } from '../position/skeleton.js';
import { pageFile } from '../render/export/page_file.js';
import { treeWords } from '../render/tree/tree_list.js';
import { pathOf } from '../reports/resolved_path.js';
import type { FileData } from '../web/page/source/file_data.js';
import type { NodeCost } from '../web/page/source/source.js';

const GZIP_LEVEL = 9;
const NODES_AT_ONCE = 1_000;
const LINES_AT_ONCE = 500;

export interface PageExport {
  client: Client;
  tree: Tree;
  /** The end of the branch; null for the whole tree. */
  end: NodeId | null;
  /** Where the person stands; null when that is not known. */
  here: NodeId | null;
  hasOutputs: boolean;
}

/** Writes a branch or a whole tree as a page that is one file. */
export async function writePage(wanted: PageExport, sink: Sink): Promise<void> {
  const data = await dataOf(wanted);
  const packed = await promisify(gzip)(JSON.stringify(data), { level: GZIP_LEVEL });
  const parts = {
    title: treeWords(wanted.tree),
    script: (await readFile(builtFile('page_file.js'), 'utf8')).trim(),
    style: (await readFile(builtFile('page.css'), 'utf8')).trim(),
    data: packed.toString('base64'),
    plain: await plainPart(data),
  };
  for (const piece of pageFile(parts)) await sink.write(piece);
}

/** A file of the page, which is built beside the program. */
function builtFile(name: 'page_file.js' | 'page.css' | 'static_page.cjs'): string {
  return fileURLToPath(new URL(`./page/${name}`, import.meta.url));
}

/** The components of the page are a program of their own: they are compiled only when a page is written. */
async function plainPart(data: FileData): Promise<string> {
  const program: unknown = await import(builtFile('static_page.cjs'));
  const write: unknown = Reflect.get(Object(program), 'staticPage');
  if (typeof write !== 'function') throw new Error('static_page.cjs has no function staticPage');
  const html: unknown = await write(data);
  return String(html);
}

async function dataOf({ client, tree, end, here, hasOutputs }: PageExport): Promise<FileData> {
  const nodes: Node[] = [];
  const all = end === null ? wholeTree(client, tree) : pathOf(client, end);
  for await (const node of all) nodes.push(hasOutputs ? shared(node) : withoutOutput(shared(node)));
  const seqs = new Map(nodes.map(({ id, seq }) => [id, seq]));
  const previews = await previewsOf(client, tree, [...seqs.values()]);
  const marks: Mark[] = [];
  for await (const mark of client.pages('loom.mark_list', { tree: tree.id }, 'marks')) marks.push(mark);
  const { id, name, title, project, updated_at_ms, node_count, branch_count } = tree;
  const known = new Set(seqs.values());
  return {
    tree: { id, name, title, project, updated_at_ms, node_count, branch_count },
    nodes: nodes.map((node) => ({
      node,
      up: node.parent === null ? null : (seqs.get(node.parent) ?? null),
      preview: previews.get(node.seq) ?? '',
    })),
    ranks: ranksIn(nodes),
    marks: marks.filter(({ seq }) => known.has(seq)).map((mark) => ({ name: mark.name, seq: mark.seq })),
    costs: (await costsOf(client, tree)).filter(({ seq }) => known.has(seq)),
    here: here === null ? null : (seqs.get(here) ?? null),
  };
}

/** Every node that is not archived, parents before their children. */
async function* wholeTree(client: Client, tree: Tree): AsyncGenerator<Node> {
  const ids = (await readSkeleton(client, tree, false)).map(({ id }) => id);
  for (let at = 0; at < ids.length; at += NODES_AT_ONCE) {
    yield* client.pages('loom.node_get_many', { nodes: ids.slice(at, at + NODES_AT_ONCE) }, 'nodes');
  }
}

/** The order of siblings, as far as it is not that of their numbers. */
function ranksIn(nodes: readonly Node[]): number[] {
  const siblings = new Map<NodeId | null, number[]>();
  for (const { parent, seq } of nodes) {
    const before = siblings.get(parent);
    if (before === undefined) siblings.set(parent, [seq]);
    else before.push(seq);
  }
  return [...siblings.values()].flatMap((seqs) => {
    const places = [...seqs].sort((one, other) => one - other);
    return seqs.flatMap((seq, index) => (places[index] === seq ? [] : [seq, places[index] ?? seq]));
  });
}

async function previewsOf(client: Client, tree: Tree, seqs: readonly number[]): Promise<Map<number, string>> {
  const previews = new Map<number, string>();
  for (let at = 0; at < seqs.length; at += LINES_AT_ONCE) {
    const part = seqs.slice(at, at + LINES_AT_ONCE);
    const { nodes } = await client.call('loom.tree_get_lines', { tree: tree.id, seqs: part });
    for (const { seq, preview } of nodes) previews.set(seq, preview);
  }
  return previews;
}

/** What each answer cost; several requests of one answer are added up. */
async function costsOf(client: Client, tree: Tree): Promise<(NodeCost & { seq: number })[]> {
  const costs = new Map<number, NodeCost & { seq: number }>();
  let cursor: string | null = null;
  do {
    const page: CostPage = await client.call('loom.cost_shape', {
      tree: tree.id,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const [index, seq] of page.seq.entries()) {
      costs.set(seq, { seq, ...sumOf(costs.get(seq) ?? NO_COST, costAt(page, index)) });
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return [...costs.values()];
}

const NO_COST: NodeCost = { price_microdollars: 0, tokens_in: 0, tokens_out: 0, tokens_cached: 0, model: '' };

function costAt(page: CostPage, index: number): NodeCost {
  const cached = page.tokens_cache_read[index] ?? 0;
  return {
    price_microdollars: page.price_microdollars[index] ?? 0,
    tokens_in: (page.tokens_in[index] ?? 0) + cached + (page.tokens_cache_write[index] ?? 0),
    tokens_out: page.tokens_out[index] ?? 0,
    tokens_cached: cached,
    model: shortModel(page.models[page.model[index] ?? 0] ?? ''),
  };
}

function sumOf(one: NodeCost, other: NodeCost): NodeCost {
  return {
    price_microdollars: one.price_microdollars + other.price_microdollars,
    tokens_in: one.tokens_in + other.tokens_in,
    tokens_out: one.tokens_out + other.tokens_out,
    tokens_cached: one.tokens_cached + other.tokens_cached,
    model: other.model,
  };
}

type CostPage = ResultOf<'loom.cost_shape'>;

/** A model without its provider. */
function shortModel(model: string): string {
  return model.split('/').at(-1) ?? model;
}

/** A node without what only its home needs: where its files lie, and what a model signed. */
function shared(node: Node): Node {
  const blocks = node.blocks.map((block) => (block.type === 'thinking' ? { ...block, signature: null } : block));
  if (node.kind === 'text') return { ...node, blocks };
  const { handle } = node.external;
  const reason: unknown = Reflect.get(Object(handle.metadata), 'reason');
  const metadata = typeof reason === 'string' ? { reason } : {};
  const external = { ...node.external, cwd: null, handle: { ...handle, identifier: handle.source, metadata } };
  return { ...node, blocks, external };
}

function withoutOutput(node: Node): Node {
  return node.kind === 'text' ? node : { ...node, blocks: [], external: { ...node.external, output: null } };
}
