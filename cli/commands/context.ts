import type { Client } from '../../hub/client.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command.js';
import { EXIT } from '../failure.js';
import { readOutput } from '../outputs.js';
import { positionOf } from '../position.js';
import { findTree } from '../reference.js';
import { askedOf, isSilent } from '../render/node_text.js';
import { renderPathEntry } from '../render/path.js';
import { writeJsonArray } from '../sink.js';

export const contextCommand = command({
  name: 'context',
  summary: 'Print the path from the root to a node: what a model would be sent.',
  details:
    'Long texts are shown as an excerpt of their head and tail. What stands before a summary is marked: a model is not sent it.',
  arguments: [
    CURRENT_TREE,
    { name: 'node', required: false, description: `${NODE_WORDS}; where you stand when left out`, completes: null },
  ],
  flags: [{ name: 'full', short: null, description: 'all of every text, and of every stored output' }],
  paged: true,
  examples: [
    { line: 'cognition context', does: 'prints the branch that you are on' },
    { line: 'cognition context @ 5e6f7a8b --full', does: 'prints another branch of it, without excerpts' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const node = await positionOf(context, tree, input.argument('node'));
    const client = await context.client();
    const summaryDepth = await newestSummary(client, node);
    if (context.json) {
      await writeJsonArray(context.out, markedPath(client, node, summaryDepth));
      return EXIT.ok;
    }
    const full = input.flag('full');
    let shown = 0;
    for await (const one of pathOf(client, node)) {
      if (one.role === 'root' || isSilent(one)) continue;
      const output = full ? await readOutput(context, one) : null;
      const look = await context.look([askedOf(one)]);
      await context.out.write(renderPathEntry({ node: one, sent: one.depth >= summaryDepth, output, full }, look));
      shown += 1;
    }
    if (shown === 0) context.note('Nothing has been said up to here.');
    return EXIT.ok;
  },
});

/** The nodes from the root to a node. */
export function pathOf(client: Client, node: NodeId): AsyncIterable<Node> {
  return client.pages('loom.context_get_path', { node }, 'nodes');
}

/** The depth of the newest summary on a path; 0 when there is none. The path is read twice rather than held. */
async function newestSummary(client: Client, node: NodeId): Promise<number> {
  let depth = 0;
  for await (const one of pathOf(client, node)) if (one.role === 'summary') depth = one.depth;
  return depth;
}

async function* markedPath(client: Client, node: NodeId, summaryDepth: number): AsyncGenerator<unknown> {
  for await (const one of pathOf(client, node)) yield { ...one, sent: one.depth >= summaryDepth };
}
