import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, Tree, TreeId } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { isNodeId, isTreeId } from '../../position/ids.js';
import { positionOf, settledNode } from '../../position/position.js';
import { rootOf } from '../../position/reference.js';
import type { Opened } from '../conversation/conversation.js';
import { placeIn } from '../conversation/resume.js';

/** What an editor calls a session: a tree where the person stands in it, or from one of its nodes on. */
export interface SessionName {
  tree: TreeId;
  /** Where it was forked; null for the tree itself. */
  from: NodeId | null;
  /** Which of the forks there. */
  number: number;
}

export function formatSessionId({ tree, from, number }: SessionName): string {
  return from === null ? tree : `${tree}.${from}.${number}`;
}

/** Null for what is no id of ours. */
export function parseSessionId(id: string): SessionName | null {
  const [tree, from, number = '', ...more] = id.split('.');
  if (!isTreeId(tree) || more.length > 0) return null;
  if (from === undefined) return { tree, from: null, number: 1 };
  return isNodeId(from) && /^\d{1,6}$/.test(number) ? { tree, from, number: Number(number) } : null;
}

/** Where a session goes on: where the person stands, else at the newest end; of a fork at the newest end below it. */
export async function placeOf(context: Context, tree: Tree, from: NodeId | null): Promise<Opened> {
  const client = await context.client();
  const known = (position: NodeId): Opened => ({
    tree: tree.id,
    known: { position, following: null, seq: tree.last_seq },
  });
  if (from !== null) {
    const start = await positionOf(context, tree, from);
    return known(await newestEnd(client, tree.id, start));
  }
  try {
    return await placeIn(context, tree, undefined);
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'ambiguous')) throw error;
    return known(await settledNode(context, tree, await newestEnd(client, tree.id, rootOf(tree.id))));
  }
}

async function newestEnd(client: Client, tree: TreeId, under: NodeId): Promise<NodeId> {
  const { leaves } = await client.call('loom.context_list_leaves', { tree, under, limit: 1 });
  return leaves[0]?.node.id ?? under;
}
