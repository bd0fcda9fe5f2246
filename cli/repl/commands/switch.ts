import { HubError } from '../../../hub/base/error.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { isNodeId } from '../../position/ids.js';
import { NONE } from '../../web/page/core/node_table.js';
import type { Repl, ReplCommand } from '../repl.js';
import { goTo, nodeNamed } from '../tree/go_to.js';
import { MOVE_WORDS, move, moveWordsIn } from '../tree/move.js';
import { pathUp, readOpenTreeShape } from '../tree/open_tree_shape.js';
import { branchesCommand } from './branches.js';

export const switchCommand: ReplCommand = {
  name: 'switch',
  usage: '<node, or a number of the last list>',
  summary: 'go to a node, or to a branch of the last /branches or /leaves',
  completes: 'node',
  details: async () => MOVE_WORDS,
  async run(argument, repl) {
    const { rest, words } = moveWordsIn(argument);
    if (rest === '') {
      throw new HubError('invalid_params', '/switch takes a node, or a number of the last list', {
        hint: 'list them with /branches or /leaves',
      });
    }
    const here = repl.conversation();
    await here.ensure();
    const node = /^\d{1,3}$/.test(rest) ? await listedNode(repl, Number(rest)) : await nodeNamed(repl, rest);
    await move(repl, node, words);
  },
};

export const gotoCommand: ReplCommand = {
  name: 'goto',
  usage: '<node>',
  summary: 'go to exactly this node: an id, a mark, `root`, or 4 or more digits of an id',
  completes: 'node',
  details: async () => MOVE_WORDS,
  async run(argument, repl) {
    const { rest, words } = moveWordsIn(argument);
    if (rest === '') {
      throw new HubError('invalid_params', '/goto takes a node', { hint: 'see their ids with: /tree --ids' });
    }
    const here = repl.conversation();
    await here.ensure();
    const node = await nodeNamed(repl, rest);
    await move(repl, node, words);
  },
};

export const followCommand: ReplCommand = {
  name: 'follow',
  usage: '',
  summary: 'go along with what another terminal has written below where you stand',
  completes: null,
  async run(_, repl) {
    const here = repl.conversation();
    await here.ensure();
    const { tip } = here.parts.display.state();
    if (tip === null || tip === here.place.position()) {
      return repl.front.show({ kind: 'note', text: '(nobody has gone on from here)' });
    }
    // Its end stands on the screen already.
    await goTo(here, tip, { redraws: false });
  },
};

/** Where one stood last in a branch, else its newest end; a leaf is an end itself. */
async function listedNode(repl: Repl, number: number): Promise<NodeId> {
  const { listed } = repl;
  if (listed === null) {
    // A number means something only in a list that one has seen.
    await branchesCommand.run('', repl);
    throw new HubError('not_found', 'nothing has been listed yet', {
      hint: 'choose from this list: /switch <number>',
    });
  }
  const node = listed.nodes[number - 1];
  if (!isNodeId(node)) {
    const message = `the last list has no number ${number}`;
    throw new HubError('not_found', message, { hint: 'list the branches with /branches, or all ends with /leaves' });
  }
  if (listed.kind === 'leaves') return node;
  return (await lastStood(repl, node)) ?? newestEnd(repl, node);
}

/** How many places are looked for in the tree at once. */
const CHECKS_AT_ONCE = 64;

async function lastStood(repl: Repl, branch: NodeId): Promise<NodeId | null> {
  const { client, conversation } = repl;
  const { place } = conversation();
  const shape = await readOpenTreeShape(repl, true);
  const indexOf = async (node: NodeId): Promise<number> => {
    const { node: there } = await client.call('loom.node_get', { node });
    return shape.indexOf(there.seq);
  };
  const top = await indexOf(branch);
  const trail = place.trail();
  for (let from = 0; from < trail.length; from += CHECKS_AT_ONCE) {
    const some = trail.slice(from, from + CHECKS_AT_ONCE);
    const indexes = await Promise.all(some.map(indexOf));
    const found = some.find((_, number) => pathUp(shape, indexes[number] ?? NONE).has(top));
    if (found !== undefined) return found;
  }
  return null;
}

async function newestEnd({ client, conversation }: Repl, branch: NodeId): Promise<NodeId> {
  const { place } = conversation();
  const params = { tree: place.tree, under: branch, archived: true, limit: 1 };
  const { leaves } = await client.call('loom.context_list_leaves', params);
  return leaves[0]?.node.id ?? branch;
}
