import { HubError } from '../../hub/base/error.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { count } from '../render/text/ids_and_counts.js';

/** Notes what still runs in a conversation that has just been archived, or in its archived branch at a node. */
export async function noteRunningWork(context: Context, tree: TreeId, branch: NodeId | null): Promise<void> {
  const client = await context.client();
  const [{ turns }, { busy }] = await Promise.all([
    client.call('agent.status', { tree }),
    client.call('health.check', {}),
  ]);
  // Where nothing is under way the process of the tools need not be started to say so.
  const { commands } = busy === 0 ? { commands: [] } : await client.call('bash.list', {});
  const isThere = async (node: NodeId): Promise<boolean> =>
    branch === null || (await isBelow(context, { tree, branch, node }));
  const here = commands.flatMap(({ place }) => (place?.tree === tree ? [place.node] : []));
  const runs = await Promise.all(
    turns.map(async ({ tip, questions }) => questions.length === 0 && (await isThere(tip))),
  );
  const [turnCount, commandCount] = [runs, await Promise.all(here.map(isThere))].map(
    (are) => are.filter(Boolean).length,
  );
  const parts = [
    ...(turnCount === 0 ? [] : [count(turnCount ?? 0, 'turn')]),
    ...(commandCount === 0 ? [] : [count(commandCount ?? 0, 'command')]),
  ];
  if (parts.length > 0) context.note(`Still running there: ${parts.join(', ')}. What they come to is stored there.`);
}

/** Whether a node is in a branch that has just been archived. */
async function isBelow(
  context: Context,
  { tree, branch, node }: Record<'branch' | 'node', NodeId> & { tree: TreeId },
): Promise<boolean> {
  try {
    await (await context.client()).call('loom.node_check', { tree, node });
    return false;
  } catch (error) {
    return error instanceof HubError && error.kind === 'archived' && error.data.details.top === branch;
  }
}
