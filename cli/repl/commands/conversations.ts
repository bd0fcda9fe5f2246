import { HubError } from '../../../hub/base/error.js';
import { shownFolder, workFolder } from '../../position/project_folder.js';
import { findTree } from '../../position/reference.js';
import { runCliCommand } from '../cli_commands/cli_command.js';
import type { Repl, ReplCommand } from '../repl.js';
import { nameIn } from '../tree/split_words.js';

export const newCommand: ReplCommand = {
  name: 'new',
  usage: '[name]',
  summary: 'start another conversation',
  completes: null,
  async run(argument, repl) {
    const name = nameIn(argument);
    // Checked before leaving: otherwise the new conversation would be open without its name.
    if (argument !== '') await mustBeFree(repl, name);
    await tellParting(repl);
    await repl.open(null);
    if (argument === '') return;
    const here = repl.conversation();
    await here.ensure();
    await repl.client.call('loom.tree_update', { tree: here.place.tree, name });
    await repl.front.show({ kind: 'text', text: `It is called "${name}".\n` });
  },
};

async function mustBeFree({ client }: Repl, name: string): Promise<void> {
  const { matches } = await client.call('loom.tree_find', { ref: name });
  const namesake = matches.find((tree) => tree.name === name && tree.archived_at_ms === null);
  if (namesake === undefined) return;
  throw new HubError('conflict', `there is a conversation named "${name}" already`, {
    hint: `choose another name, or go on in that one: /use ${name}`,
  });
}

const THERE = /^--there\s+/;

export const useCommand: ReplCommand = {
  name: 'use',
  usage: '[--there] <tree>',
  summary:
    'go to another conversation: an id, a name, or 4 or more digits of an id; --there when it works in another folder',
  completes: 'tree',
  async run(argument, repl) {
    const named = argument.replace(THERE, '');
    if (named === '')
      throw new HubError('invalid_params', '/use takes a conversation', { hint: 'see them with: /list' });
    const tree = await findTree(repl.context, nameIn(named), 'read');
    const folder = workFolder(tree, repl.context.project);
    if (named === argument && folder !== repl.context.project) {
      throw new HubError('approval_needed', `that conversation works in ${shownFolder(folder)}, not here`, {
        hint: `go on there with: /use --there ${named}`,
      });
    }
    await tellParting(repl);
    await repl.open(tree.id);
  },
};

/** A turn goes on when its conversation is left. */
async function tellParting({ conversation, front }: Repl): Promise<void> {
  if (conversation().turns.current() === null) return;
  await front.show({ kind: 'note', text: '(the turn goes on without you; come back to see what it comes to)' });
}

const NO_NAME = '--remove';

export const renameCommand: ReplCommand = {
  name: 'rename',
  usage: `<name | ${NO_NAME}>`,
  summary: 'name this conversation; --remove takes its name away',
  completes: null,
  async run(argument, repl) {
    if (argument === '')
      throw new HubError('invalid_params', '/rename takes a name', { hint: '/rename parser, second try' });
    await repl.conversation().ensure();
    const { renameCommand: command } = await import('../../commands/rename.js');
    const words = argument === NO_NAME ? ['@', NO_NAME] : ['--', '@', nameIn(argument)];
    await runCliCommand(command, { words, label: renameCommand, bound: null }, repl);
  },
};
