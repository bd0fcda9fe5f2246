import { HubError } from '../../../hub/base/error.js';
import { MarkName, type NodeId, type TreeId, TreeName } from '../../../hub/protocol/node.js';
import type { TestHub } from '../../support/hub.js';
import { stepParts } from '../../support/trees.js';
import type { BadLine } from './bad_line.js';
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

/** A hub and its line to the remote. */
export interface Site {
  hub: TestHub;
  line: BadLine;
}

export interface History {
  sites: readonly Site[];
  tree: TreeId;
  steps: number;
  random: () => number;
  /** What breaks now and then beyond one line: a hub, the server. */
  trouble(site: Site): Promise<unknown>;
}

/** What a history has done: the texts that were acknowledged, and how often each thing succeeded and was refused. */
export interface Told {
  nodes: Set<NodeId>;
  done: Map<string, { well: number; refused: number }>;
}

interface Step {
  site: Site;
  tree: TreeId;
  node: NodeId;
  random: () => number;
}

/** What happens to a tree, each with how much of all it is. */
const ACTS: Readonly<Record<string, [share: number, act: (step: Step) => Promise<unknown>]>> = {
  sync: [0.25, ({ site }) => sync(site.hub)],
  mark: [
    0.1,
    ({ site, tree, node, random }) => {
      const name = MarkName.parse(['a', 'b', 'c'][Math.floor(random() * 3)]);
      return site.hub.client.call('loom.mark_set', { tree, name, node: random() < 0.3 ? null : node });
    },
  ],
  rename: [
    0.05,
    ({ site, tree, random }) =>
      site.hub.client.call('loom.tree_update', { tree, name: TreeName.parse(`n${random()}`.slice(0, 12)) }),
  ],
  archive_branch: [0.04, ({ site, tree, node }) => site.hub.client.call('loom.branch_archive', { tree, node })],
  restore_branch: [0.04, ({ site, tree, node }) => site.hub.client.call('loom.branch_restore', { tree, node })],
  archive: [0.02, ({ site, tree }) => site.hub.client.call('loom.tree_archive', { tree })],
  restore: [0.04, ({ site, tree }) => site.hub.client.call('loom.tree_restore', { tree })],
  // A shared conversation is never purged: it would come back.
  purge: [
    0.01,
    async ({ site, tree }) => {
      // Where sharing again was cut off it is a conversation of this hub alone, which goes.
      const { shares } = await site.hub.client.call('sharing.list', {});
      if (!shares.some((share) => share.tree.id === tree)) return;
      const { confirm } = await site.hub.client.call('loom.tree_purge', { tree });
      await site.hub.client.call('loom.tree_purge', { tree, confirm });
    },
  ],
  unshare: [
    0.02,
    async ({ site, tree }) => {
      await site.hub.client.call('sharing.unshare', { remote, tree });
      await site.hub.client.call('sharing.share', { remote, tree });
    },
  ],
  twice: [0.03, ({ site }) => Promise.all([sync(site.hub), sync(site.hub)])],
  cut: [0.03, async ({ site }) => site.line.become('cut')],
  mend: [0.06, async ({ site }) => site.line.become('open')],
  // The remote has done what it was told, and nobody is told so.
  lost_answer: [
    0.05,
    ({ site, random }) => {
      site.line.loseAnswer(1 + Math.floor(random() * 25));
      return sync(site.hub);
    },
  ],
  step: [
    0.06,
    ({ site, tree, node, random }) =>
      site.hub.client.call('loom.step_create', { tree, parent: node, ...stepParts(`${random()}`, ['a', 'b']) }),
  ],
};
const TROUBLE = 0.03;
/** How often a remote may be away after everything was mended. */
const TRIES = 5;

/** Lets hubs change one tree as it comes, with trouble in between. */
export async function runHistory({ sites, tree, steps, random, trouble }: History): Promise<Told> {
  const told: Told = { nodes: new Set(), done: new Map() };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // no list is empty
  for (let count = 0; count < steps; count++) {
    const site = pick(sites);
    const node = pick(await nodesOf(site.hub, tree));
    let left = random();
    const [name, act] = Object.entries(ACTS).find(([, [share]]) => {
      left -= share;
      return left < 0;
    }) ?? [left < TROUBLE ? 'trouble' : 'say', null];
    const step: Step = { site, tree, node, random };
    const counts = told.done.get(name) ?? { well: 0, refused: 0 };
    told.done.set(name, counts);
    try {
      if (act !== null) await act[1](step);
      else if (name === 'trouble') await trouble(site);
      else told.nodes.add(await say(site.hub, { tree, node }, `${count} of ${random()}`));
      counts.well += 1;
    } catch {
      // The root is no branch, what is archived takes nothing, a remote that is away sends nothing: each was refused.
      counts.refused += 1;
    }
  }
  return told;
}

async function nodesOf(hub: TestHub, tree: TreeId): Promise<NodeId[]> {
  const { nodes } = await hub.client.call('loom.tree_get_skeleton', { tree, archived: true, limit: 10_000 });
  return nodes.map(({ id }) => id);
}

/** What the last trouble cut off meets once more: whoever is told that the remote is away tries again. */
async function reached<T>(call: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await call();
    } catch (error) {
      if (count === TRIES || !(error instanceof HubError && error.kind === 'network')) throw error;
    }
  }
}

/** Takes everything over until nothing moves any more; returns the states that should be one. */
export async function settle(sites: readonly Site[], tree: TreeId): Promise<object[]> {
  const hubs = sites.map(({ hub }) => hub);
  for (const { line } of sites) line.become('open');
  // Where sharing again was cut off it is not shared.
  for (const hub of hubs) await reached(() => hub.client.call('sharing.share', { remote, tree }));
  for (let round = 0; round < 2; round++) {
    for (const hub of hubs) {
      const { trees } = await reached(() => hub.client.call('sharing.sync', { remote }));
      for (const { problem } of trees) if (problem !== null) throw new Error(problem);
    }
  }
  return Promise.all(hubs.map((hub) => stateOf(hub, tree)));
}

/** How often each text was said in a tree: an append that was sent again must not be there twice. */
export async function repeatedTexts(hub: TestHub, tree: TreeId): Promise<string[]> {
  const seen = new Set<string>();
  const repeated: string[] = [];
  for await (const record of hub.client.pages('loom.tree_export', { tree }, 'records')) {
    if (record.kind !== 'node' || record.node.role !== 'user') continue;
    const text = JSON.stringify(record.node.blocks);
    if (seen.has(text)) repeated.push(text);
    seen.add(text);
  }
  return repeated;
}
