import { HubError } from '../../../hub/error.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { pathTo } from '../../../loom/tree.js';
import { readSkeleton } from '../../commands/show.js';
import { isNodeId } from '../../ids.js';
import { settledNode } from '../../position.js';
import { findNode } from '../../reference.js';
import { outlineOf } from '../../render/outline.js';
import { goTo } from '../moves.js';
import type { Repl, ReplCommand } from '../repl.js';

export const switchCommand: ReplCommand = {
  name: 'switch',
  usage: '<node, or a number of the last list>',
  summary: 'go to a node, or to a branch of the last /branches or /leaves',
  completes: 'node',
  async run(given, repl) {
    if (given === '') {
      throw new HubError('invalid_params', '/switch takes a node, or a number of the last list', {
        hint: 'list them with /branches or /leaves',
      });
    }
    const here = repl.conversation();
    await here.ensure();
    await goTo(here, /^\d{1,3}$/.test(given) ? await listedNode(repl, Number(given)) : await namedNode(repl, given));
  },
};

export const gotoCommand: ReplCommand = {
  name: 'goto',
  usage: '<node>',
  summary: 'go to exactly this node: an id, a mark, `root`, or 4 or more digits of an id',
  completes: 'node',
  async run(given, repl) {
    if (given === '') {
      throw new HubError('invalid_params', '/goto takes a node', { hint: 'see their ids with: /tree --ids' });
    }
    const here = repl.conversation();
    await here.ensure();
    await goTo(here, await namedNode(repl, given));
  },
};

async function namedNode({ context, conversation }: Repl, reference: string): Promise<NodeId> {
  const { place } = conversation();
  if (reference === '@') return place.position();
  return settledNode(context, { id: place.tree }, await findNode(context, place.tree, reference));
}

/** Where one stood last in a branch, else its newest end; a leaf is an end itself. */
async function listedNode(repl: Repl, number: number): Promise<NodeId> {
  const { listed } = repl;
  const node = listed?.nodes[number - 1];
  if (listed === null || !isNodeId(node)) {
    const message = listed === null ? 'nothing has been listed yet' : `the last list has no number ${number}`;
    throw new HubError('not_found', message, { hint: 'list the branches with /branches, or all ends with /leaves' });
  }
  if (listed.kind === 'leaves') return node;
  return (await lastStood(repl, node)) ?? newestEnd(repl, node);
}

async function lastStood({ client, conversation }: Repl, branch: NodeId): Promise<NodeId | null> {
  const { place } = conversation();
  const outline = outlineOf(await readSkeleton(client, { id: place.tree }, true));
  const top = outline.indexOf(branch);
  const isBelow = (node: NodeId): boolean => {
    const index = outline.indexOf(node);
    return index !== undefined && top !== undefined && pathTo(outline, index).includes(top);
  };
  return place.trail().find(isBelow) ?? null;
}

async function newestEnd({ client, conversation }: Repl, branch: NodeId): Promise<NodeId> {
  const { place } = conversation();
  const asked = { tree: place.tree, under: branch, archived: true, limit: 1 };
  const { leaves } = await client.call('loom.context_list_leaves', asked);
  return leaves[0]?.node.id ?? branch;
}
