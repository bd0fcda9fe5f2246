import { HubError } from '../../../hub/error.js';
import { findTree } from '../../reference.js';
import type { ReplCommand } from '../repl.js';

export const newCommand: ReplCommand = {
  name: 'new',
  usage: '[name]',
  summary: 'start another conversation',
  completes: null,
  async run(given, repl) {
    await repl.open(null);
    if (given === '') return;
    const here = repl.conversation();
    await here.ensure();
    await repl.client.call('loom.tree_update', { tree: here.place.tree, name: given });
  },
};

export const useCommand: ReplCommand = {
  name: 'use',
  usage: '<tree>',
  summary: 'go to another conversation: an id, a name, or 4 or more digits of an id',
  completes: 'tree',
  async run(given, repl) {
    if (given === '')
      throw new HubError('invalid_params', '/use takes a conversation', { hint: 'see them with: /list' });
    const tree = await findTree(repl.context, given, 'read');
    await repl.open(tree.id);
  },
};
