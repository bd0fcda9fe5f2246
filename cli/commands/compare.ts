import type { Client } from '../../hub/client/client.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { sharedLength } from '../../loom/tree.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { isSilent, titledOf } from '../render/node/node_text.js';
import { type ComparedNode, renderComparison } from '../render/tree/compare.js';
import { pathOf } from '../reports/resolved_path.js';

export const compareCommand = command({
  name: 'compare',
  summary: 'Compare two branches: what they share, then what each has alone.',
  arguments: [
    TREE,
    { name: 'a', required: true, description: NODE_WORDS, completes: null },
    { name: 'b', required: true, description: 'the same', completes: null },
  ],
  paged: true,
  examples: [{ line: 'cognition compare @ 5e6f7a8b 9c0d1e2f', does: 'tells the two branches that end there apart' }],
  async run(input, context) {
    const tree = await findTree(context, input.required('tree'), 'read');
    const a = await positionOf(context, tree, input.required('a'));
    const b = await positionOf(context, tree, input.required('b'));
    const client = await context.client();
    const [pathA, pathB] = [await comparedNodes(client, a), await comparedNodes(client, b)];
    const shared = sharedLength(pathA, pathB);
    const ancestor = pathA[shared - 1];
    if (ancestor === undefined) throw new RangeError('two paths of one tree begin at its root');
    const aloneA = pathA.slice(shared);
    const aloneB = pathB.slice(shared);
    if (context.json) {
      await context.printJson({ ancestor, a: aloneA, b: aloneB });
      return EXIT.ok;
    }
    const look = await context.look([ancestor, ...aloneA, ...aloneB].map(({ preview }) => preview));
    const comparison = { ancestor, a: { id: a, alone: aloneA }, b: { id: b, alone: aloneB } };
    await context.out.write(renderComparison(comparison, look));
    return EXIT.ok;
  },
});

/** The fields that one line per node needs; the texts are dropped while reading. */
async function comparedNodes(client: Client, node: NodeId): Promise<ComparedNode[]> {
  const nodes: ComparedNode[] = [];
  for await (const one of pathOf(client, node)) {
    if (!isSilent(one)) nodes.push({ id: one.id, ...titledOf(one) });
  }
  return nodes;
}
