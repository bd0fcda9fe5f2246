import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSkeleton } from '../../../cli/position/skeleton.js';
import { homePaths } from '../../../hub/config/config.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { NodeId, type Tree, type TreeId } from '../../../hub/protocol/node.js';
import { type TestHub, withHub } from '../../support/hub.js';

/** Runs a test with hubs that reach one remote as `team`, and take over what they are told to. */
export function withHubs(addresses: readonly string[], use: (...hubs: TestHub[]) => Promise<void>): Promise<void> {
  return withNamed({ addresses, lines: 'sharing.live = false\n' }, use);
}

/** The same with hubs that send and fetch by themselves. */
export function withLiveHubs(addresses: readonly string[], use: (...hubs: TestHub[]) => Promise<void>): Promise<void> {
  return withNamed({ addresses, lines: '' }, use);
}

async function withNamed(
  { addresses, lines }: { addresses: readonly string[]; lines: string },
  use: (...hubs: TestHub[]) => Promise<void>,
): Promise<void> {
  const open = async (hubs: TestHub[]): Promise<void> => {
    const address = addresses[hubs.length];
    if (address === undefined) return use(...hubs);
    await withHub(async (hub) => {
      nameRemote(hub.home, address, lines);
      await open([...hubs, hub]);
    });
  };
  await open([]);
}

export function nameRemote(home: string, address: string, lines: string): void {
  const { config } = homePaths(home);
  mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
  appendFileSync(config, `remote.team = ${address}\n${lines}`, { mode: 0o600 });
}

export const remote = 'team';

export async function say(hub: TestHub, at: { tree: TreeId; node?: NodeId }, text: string): Promise<NodeId> {
  const { node } = await hub.client.call('loom.node_create_text', {
    ...{ tree: at.tree, parent: at.node ?? NodeId.parse(at.tree), role: 'user', blocks: [{ type: 'text', text }] },
  });
  return node.id;
}

export async function newTree(hub: TestHub, name: string | null = null): Promise<TreeId> {
  return (await hub.client.call('loom.tree_create', { name: name as Tree['name'] })).id; // a name of the test's own
}

export function sync(hub: TestHub, tree: TreeId | null = null): Promise<ResultOf<'sharing.sync'>> {
  return hub.client.call('sharing.sync', { remote, tree });
}

/** All that must be the same wherever a tree is: its nodes with their hashes, and what is decided last. */
export async function stateOf(hub: TestHub, tree: TreeId): Promise<object> {
  const nodes: string[] = [];
  const pointers: string[] = [];
  for await (const record of hub.client.pages('loom.tree_export', { tree }, 'records')) {
    if (record.kind === 'node') nodes.push(`${record.node.id} ${record.node.hash}`);
    if (record.kind === 'mark') pointers.push(`mark ${record.name} ${record.node}`);
    if (record.kind === 'archived') pointers.push(`archived ${record.node}`);
  }
  const { name, archived_at_ms: archived } = await hub.client.call('loom.tree_get', { tree });
  const siblings = await siblingsOf(hub, tree);
  return { nodes: nodes.sort(), pointers: pointers.sort(), name, archived: archived !== null, siblings };
}

/** The children of every node in the order in which they are shown, the nodes in that of their ids. */
export async function siblingsOf(hub: TestHub, tree: TreeId): Promise<[parent: string, children: string[]][]> {
  const below = new Map<string, string[]>();
  for (const { id, parent } of await readSkeleton(hub.client, { id: tree }, true)) {
    if (parent !== null) below.set(parent, [...(below.get(parent) ?? []), id]);
  }
  return [...below].sort(([one], [other]) => (one < other ? -1 : 1));
}
