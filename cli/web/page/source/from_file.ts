import { textOf } from '../../../../hub/base/node_blocks.js';
import { columnNode } from '../core/column_node.js';
import { ranksOf } from '../core/node_table.js';
import { addNode, rankNodes } from '../core/tree_columns.js';
import type { FileData, FileNode } from './file_data.js';
import type { PageHit, RowLine, Source } from './source.js';

const HITS_MAX = 100;
const BEFORE_HIT = 40;
const SNIPPET = 120;

/** A tree that lies in the page itself: the same methods as those of a hub, answered from memory. */
export function fileSource(data: FileData): Source {
  const bySeq = new Map(data.nodes.map((one) => [one.node.seq, one]));
  const found = <T>(seqs: readonly number[], take: (one: FileNode) => T): T[] =>
    seqs.flatMap((seq) => {
      const one = bySeq.get(seq);
      return one === undefined ? [] : [take(one)];
    });
  return {
    kind: 'file',
    name: data.tree.name ?? (data.tree.title || 'a conversation'),
    write: null,
    async load(columns) {
      for (const { node, up } of data.nodes) addNode(columns, columnNode(node, up));
      rankNodes(columns, ranksOf(data.ranks));
    },
    trees: async () => [data.tree],
    open: () => undefined,
    lines: async (seqs) => found(seqs, lineOfNode),
    nodes: async ({ seqs }) => found(seqs, ({ node }) => node),
    marks: async () => data.marks,
    search: async (query) => search(data.nodes, query),
    costs: async () => new Map(data.costs.map((cost) => [cost.seq, cost])),
    here: async () => data.here,
    live: () => () => undefined,
    race: async () => [],
    files: async () => null,
  };
}

function lineOfNode({ node, preview }: FileNode): RowLine {
  const external = node.kind === 'external' ? node.external : null;
  return {
    ...{ id: node.id, seq: node.seq, role: node.role, preview },
    ...{ tool: external?.call.tool ?? null, exit_code: external?.exit_code ?? null },
  };
}

/** Every word must occur; the newest first. */
function search(nodes: readonly FileNode[], query: string): PageHit[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const hits: PageHit[] = [];
  for (let index = nodes.length - 1; index >= 0 && hits.length < HITS_MAX; index -= 1) {
    const one = nodes[index];
    const hit = one === undefined ? null : hitOf(one, words);
    if (hit !== null) hits.push(hit);
  }
  return hits;
}

function hitOf({ node }: FileNode, words: readonly string[]): PageHit | null {
  const input = node.kind === 'external' ? ` ${JSON.stringify(node.external.call.input)}` : '';
  const text = `${textOf(node.blocks, ' ')}${input}`.replace(/\s+/g, ' ');
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word))) return null;
  const start = Math.max(0, lower.indexOf(words[0] ?? '') - BEFORE_HIT);
  const snippet = text.slice(start, start + SNIPPET);
  return { seq: node.seq, role: node.role, snippet, matches: matchesIn(snippet.toLowerCase(), words) };
}

/** Where the words stand, in order and without overlap. */
function matchesIn(text: string, words: readonly string[]): [number, number][] {
  const matches: [number, number][] = [];
  for (let at = 0; at < text.length; ) {
    const word = words.find((one) => text.startsWith(one, at));
    if (word !== undefined) matches.push([at, at + word.length]);
    at += word?.length ?? 1;
  }
  return matches;
}
