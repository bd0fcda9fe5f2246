import { MarkName, type NodeId, type TreeId, TreeName } from '../../../hub/protocol/node.js';
import type { TestHub } from '../../support/hub.js';
import { remote, say, stateOf, sync } from './shared_trees.js';

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface History {
  hubs: readonly TestHub[];
  tree: TreeId;
  steps: number;
  random: () => number;
  /** What breaks now and then: a server that restarts, a hub that is killed. */
  trouble(hub: TestHub): Promise<void>;
}

type Act = (hub: TestHub, tree: TreeId, parts: { node: NodeId; random: () => number }) => Promise<unknown>;

/** What happens to a tree, each with how much of all it is. */
const ACTS: readonly [share: number, act: Act][] = [
  [0.3, (hub) => sync(hub)],
  [
    0.12,
    (hub, tree, { node, random }) => {
      const name = MarkName.parse(['a', 'b', 'c'][Math.floor(random() * 3)]);
      return hub.client.call('loom.mark_set', { tree, name, node: random() < 0.3 ? null : node });
    },
  ],
  [
    0.05,
    (hub, tree, { random }) => hub.client.call('loom.tree_update', { tree, name: TreeName.parse(`n${random()}`) }),
  ],
  [0.05, (hub, tree, { node }) => hub.client.call('loom.branch_archive', { tree, node })],
  [0.05, (hub, tree, { node }) => hub.client.call('loom.branch_restore', { tree, node })],
  [0.02, (hub, tree) => hub.client.call('loom.tree_archive', { tree })],
  [0.04, (hub, tree) => hub.client.call('loom.tree_restore', { tree })],
];
const TROUBLE = 0.06;

/** Lets hubs change one tree as it comes, with trouble in between; returns the nodes that were acknowledged. */
export async function runHistory({ hubs, tree, steps, random, trouble }: History): Promise<Set<NodeId>> {
  const said = new Set<NodeId>();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // no list is empty
  for (let step = 0; step < steps; step++) {
    const hub = pick(hubs);
    const node = pick(await nodesOf(hub, tree));
    let left = random();
    const act = ACTS.find(([share]) => {
      left -= share;
      return left < 0;
    })?.[1];
    try {
      if (act !== undefined) await act(hub, tree, { node, random });
      else if (left < TROUBLE) await trouble(hub);
      else said.add(await say(hub, { tree, node }, `${step} of ${random()}`));
    } catch {
      // The root is no branch, what is archived takes nothing, a remote that is away sends nothing: each was refused.
    }
  }
  return said;
}

async function nodesOf(hub: TestHub, tree: TreeId): Promise<NodeId[]> {
  const { nodes } = await hub.client.call('loom.tree_get_skeleton', { tree, archived: true, limit: 10_000 });
  return nodes.map(({ id }) => id);
}

/** Takes everything over until nothing moves any more; returns the states that should be one. */
export async function settle(hubs: readonly TestHub[], tree: TreeId): Promise<object[]> {
  for (let round = 0; round < 2; round++) {
    for (const hub of hubs) {
      const { trees } = await hub.client.call('sharing.sync', { remote });
      for (const { problem } of trees) if (problem !== null) throw new Error(problem);
    }
  }
  return Promise.all(hubs.map((hub) => stateOf(hub, tree)));
}
