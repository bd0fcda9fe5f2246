import { randomUUID } from 'node:crypto';
import type { Client } from '../../hub/client/client.js';
import type { ExportRecord } from '../../hub/protocol/methods/tree_methods.js';
import { NodeId, type PortableNode, Sha256, TreeId } from '../../hub/protocol/node.js';
import { canonicalJson } from '../../loom/store/canonical_json.js';
import { nodeHash } from '../../loom/store/node_hash.js';
import { sync } from '../hub/sharing/shared_trees.js';
import type { TestHub } from '../support/hub.js';
import { addChain, newTree, TEXT } from './trees.js';

export const remote = 'team';
const CHAINS = 50;
const IMPORT_PAGE = 2_000;

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

/** The same nodes by import, a page for each commit, which does not take minutes for a million. */
export async function importedTree(client: Client, nodes: number): Promise<TreeId> {
  const tree = TreeId.parse(randomUUID());
  const at = { tree, created_at_ms: Date.now(), step: null, settings: null };
  const nodeOf = (id: string, role: 'root' | 'user', above: Hashed | null): PortableNode => {
    const blocks = role === 'root' ? [] : [{ type: 'text' as const, text: TEXT }];
    const node = { ...at, id: NodeId.parse(id), parent: above?.id ?? null, role, blocks };
    const json = { blocks: canonicalJson(blocks), external: null, meta: null };
    return { ...node, kind: 'text', hash: Sha256.parse(nodeHash(above?.hash ?? null, { ...node, ...json })) };
  };
  const root = nodeOf(tree, 'root', null);
  const made = { id: tree, name: null, project: null, owner: null, created_at_ms: at.created_at_ms };
  let records: ExportRecord[] = [
    { kind: 'tree', format: 1, tree: made },
    { kind: 'node', node: root },
  ];
  const tips: Hashed[] = Array.from({ length: CHAINS }, () => root);
  for (let number = 1; number <= nodes; number++) {
    const node = nodeOf(randomUUID(), 'user', tips[number % CHAINS] ?? root);
    tips[number % CHAINS] = node;
    records.push({ kind: 'node', node });
    const done = number === nodes;
    if (records.length < IMPORT_PAGE && !done) continue;
    await client.call('loom.tree_import', { tree, records, done });
    records = [];
  }
  return tree;
}

type Hashed = Pick<PortableNode, 'id' | 'hash'>;

export async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
