import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Node } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { isNodeId } from '../position/ids.js';
import { nodeFrom } from '../position/position.js';
import { findTree, quoted } from '../position/reference.js';
import { cleanLine } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';

export type ListedCommand = ResultOf<'bash.list'>['commands'][number];

/** What has an output: a node, or a running command, which has no node yet. */
export type OutputOwner = { kind: 'node'; node: Node } | { kind: 'running'; command: ListedCommand };

/** Resolves a reference to a node of the tree, by its full id of any tree, or to a running command. */
export async function ownerOfOutput(
  context: Context,
  reference: string,
  tree: string | undefined,
): Promise<OutputOwner> {
  const find = async (): Promise<OutputOwner> => ({ kind: 'node', node: await nodeOf(context, reference, tree) });
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'not_found')) throw error;
    const command = await runningCommand(await context.client(), reference);
    if (command !== null) return { kind: 'running', command };
  }
  // It may have ended in between.
  return find();
}

async function nodeOf(context: Context, reference: string, tree: string | undefined): Promise<Node> {
  const client = await context.client();
  if (tree === undefined && isNodeId(reference)) return (await client.call('loom.node_get', { node: reference })).node;
  const owner = await findTree(context, tree ?? '@', 'read');
  const node = await nodeFrom(context, owner, reference);
  return (await client.call('loom.node_get', { node, tree: owner.id })).node;
}

const ID_START = /^[0-9a-f][0-9a-f-]{3,35}$/;

/** The running command whose id begins with the reference; null when there is none. */
async function runningCommand(client: Client, reference: string): Promise<ListedCommand | null> {
  if (!ID_START.test(reference)) return null;
  const { commands } = await client.call('bash.list', {});
  const [first, second] = commands.filter(({ id }) => id.startsWith(reference));
  if (first === undefined) return null;
  if (second === undefined) return first;
  const listed = [first, second].map(({ id, command }) => `  ${shortId(id)}  ${cleanLine(command)}`).join('\n');
  throw new HubError('ambiguous', `${quoted(reference)} means several running commands:\n${listed}`, {
    hint: 'give more digits of the id',
  });
}
