import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import { sharedLength } from '../../loom/tree.js';
import { isSilent } from '../render/node/node_text.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { pathOf } from '../reports/resolved_path.js';

/** What another branch has alone, and where it left the path to where one stands. */
export interface BranchSource {
  tip: Pick<Node, 'id' | 'hash'>;
  since: Pick<Node, 'id' | 'hash'>;
  /** The nodes that say something. */
  nodes: NodeId[];
  /** The last answer; null when there is none. */
  answer: Node | null;
}

/** Reads what a branch has that is not on the path to a node; refused where that is nothing. */
export async function readBranchSource(
  client: Client,
  { from, here }: { from: NodeId; here: NodeId },
): Promise<BranchSource> {
  const [theirs, ours] = await Promise.all([nodesTo(client, from), nodesTo(client, here)]);
  const shared = sharedLength(theirs, ours);
  const [tip, since] = [theirs.at(-1), theirs[shared - 1]];
  const alone = theirs.slice(shared);
  if (tip === undefined || since === undefined || alone.length === 0) {
    throw new HubError('invalid_params', `${shortId(from)} is on the path to where you stand already`, {
      hint: 'name a node of another branch',
    });
  }
  return {
    ...{ tip, since },
    nodes: alone.filter((node) => !isSilent(node)).map(({ id }) => id),
    answer: alone.findLast((node) => node.role === 'assistant' && !isSilent(node)) ?? null,
  };
}

async function nodesTo(client: Client, node: NodeId): Promise<Node[]> {
  const nodes: Node[] = [];
  for await (const one of pathOf(client, node)) nodes.push(one);
  return nodes;
}
