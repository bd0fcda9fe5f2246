import type { Client } from '../../hub/client/client.js';
import type { Node, NodeId, Tree } from '../../hub/protocol/node.js';
import { runEnd, runOf } from '../../loom/tree.js';
import type { Sink } from '../output/sink.js';
import { readSkeleton } from '../position/skeleton.js';
import type { DocumentFormat } from '../render/export/document.js';
import { type Outline, outlineOf } from '../render/tree/outline.js';
import { pathOf } from '../reports/resolved_path.js';

// Enough to keep the hub busy while the answers before are written.
const READ_AHEAD = 64;

/** Writes the branch that ends at a node. */
export async function writeBranch(
  { client, tree, sink }: { client: Client; tree: Tree; sink: Sink },
  node: NodeId,
  format: DocumentFormat,
): Promise<void> {
  await sink.write(format.begin(tree));
  for await (const one of pathOf(client, node)) await sink.write(format.node(one));
  await sink.write(format.end());
}

/** Writes a whole tree: each branch from its fork on, one after the other. */
export async function writeTree(
  { client, tree, sink }: { client: Client; tree: Tree; sink: Sink },
  format: DocumentFormat,
): Promise<void> {
  const outline = outlineOf(await readSkeleton(client, tree, true));
  await sink.write(format.begin(tree));
  for await (const { node, fork } of ahead(client, preorder(outline))) {
    await sink.write((fork === null ? '' : format.fork(fork)) + format.node(node));
  }
  await sink.write(format.end());
}

interface OrderedNode {
  id: NodeId;
  fork: { number: string; of: number; from: string } | null;
}

/** Every node, each run down to its end before the next branch; a stack instead of recursion, for trees of any depth. */
function* preorder(outline: Outline): Generator<OrderedNode> {
  const stack: Run[] = [{ start: 0, number: '', fork: null }];
  for (let run = stack.pop(); run !== undefined; run = stack.pop()) {
    const end = runEnd(outline, run.start);
    for (const index of runOf(outline, run.start, end)) {
      const node = outline.nodes[index];
      if (node !== undefined) yield { id: node.id, fork: index === run.start ? run.fork : null };
    }
    // One by one: a call cannot take as many arguments as a wide fork has branches.
    for (const below of runsBelow(outline, end, run.number)) stack.push(below);
  }
}

interface Run {
  start: number;
  number: string;
  fork: OrderedNode['fork'];
}

/** The runs that begin below the end of one, the last first, as a stack takes them. */
function runsBelow(outline: Outline, end: number, above: string): Run[] {
  const starts = outline.childrenOf(end);
  const from = outline.nodes[end]?.id ?? '';
  return starts
    .map((start, index) => {
      const number = `${above === '' ? '' : `${above}.`}${index + 1}`;
      return { start, number, fork: { number, of: starts.length, from } };
    })
    .reverse();
}

/** Reads nodes in order, several at a time. */
async function* ahead(
  client: Client,
  order: Iterable<OrderedNode>,
): AsyncGenerator<{ node: Node; fork: OrderedNode['fork'] }> {
  const reading: Promise<{ node: Node; fork: OrderedNode['fork'] }>[] = [];
  for (const { id, fork } of order) {
    reading.push(client.call('loom.node_get', { node: id }).then(({ node }) => ({ node, fork })));
    const first = reading.length < READ_AHEAD ? undefined : reading.shift();
    if (first !== undefined) yield await first;
  }
  for (const one of reading) yield await one;
}
