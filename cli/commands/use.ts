import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { cleanLine } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { remoteNames } from '../sharing/remotes.js';
import { findRemoteTree } from '../sharing/sync_trees.js';

export const useCommand = command({
  name: 'use',
  summary: 'Make a conversation the current one, `@`, of the project that you are in.',
  arguments: [TREE],
  examples: [
    { line: 'cognition use a1b2c3d4', does: 'selects the conversation whose id begins so' },
    { line: 'cognition use "parser rewrite"', does: 'selects one by its name' },
    { line: 'cognition use team/trip', does: 'fetches a conversation of a remote, and selects it' },
  ],
  async run(input, context) {
    const tree = await findTree(context, await broughtHere(context, input.required('tree')), 'read');
    await context.session.use(tree.id, context.project);
    if (context.json) await context.printJson(tree);
    else await context.out.write(`${tree.id}\n`);
    if (tree.archived_at_ms !== null)
      context.note(['It is archived. Restore with: ', cliCommand('restore', shortId(tree.id))]);
    context.note(['Continue with: ', cliCommand('chat', shortId(tree.id))]);
    return EXIT.ok;
  },
});

/** Fetches a conversation that is named with its remote, such as `team/trip`, and returns by what it is known here. */
async function broughtHere(context: Context, reference: string): Promise<string> {
  const [remote = '', ...rest] = reference.split('/');
  if (rest.length === 0 || !remoteNames(context).includes(remote)) return reference;
  const tree = await findRemoteTree(context, remote, rest.join('/'));
  const { trees } = await (await context.client()).call('sharing.sync', { remote, tree, sends: false });
  for (const { problem } of trees) if (problem !== null) context.note(cleanLine(`It is not all here: ${problem}`));
  return tree;
}
