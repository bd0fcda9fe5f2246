import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { sync } from '../hub/sharing/shared_trees.js';
import type { TestHub } from '../support/hub.js';
import { addChain, newTree } from './trees.js';

export const remote = 'team';
const CHAINS = 50;

/** A tree of so many nodes that one hub has shared and another fetched. */
export async function shareNew(client: Client, other: TestHub, nodes: number): Promise<TreeId> {
  const tree = await filledTree(client, nodes);
  await client.call('sharing.share', { remote, tree });
  await sync(other, tree);
  return tree;
}

export async function filledTree(client: Client, nodes: number): Promise<TreeId> {
  const tree = await newTree(client);
  await Promise.all(Array.from({ length: CHAINS }, () => addChain(client, tree, nodes / CHAINS)));
  return tree;
}

export async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
