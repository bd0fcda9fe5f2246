import { HubError } from '../../hub/base/error.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { Tree } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { shownFolder, workFolder } from '../position/project_folder.js';
import { currentTreeIn, findTree, type Purpose } from '../position/reference.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { ask, canAsk } from './ask_person.js';

/** An option of every command that lets something happen in the folder of a conversation. */
export const THERE = {
  name: 'there',
  short: null,
  description: 'go on in the folder of the conversation, when that is not the one that you are in',
} as const;

/** The tree that is gone on with; whoever is in another folder than it works in is asked, however they name it. */
export async function treeToWorkIn(context: Context, reference: string, isThere: boolean): Promise<Tree> {
  const tree = await findTree(context, reference, 'read');
  if (!isThere && isElsewhere(context, tree)) {
    await mustMeanIt(context, tree, 'go on there with: --there');
  }
  return tree;
}

/** The tree that is changed; when `@` is only the last one used elsewhere, the person is asked. Who names a tree means it. */
export async function treeToChange(context: Context, reference: string, purpose: Purpose): Promise<Tree> {
  const tree = await findTree(context, reference, purpose);
  const isMeant = reference !== '@' || currentTreeIn(context) !== null;
  if (!isMeant && isElsewhere(context, tree)) {
    await mustMeanIt(context, tree, `name it when you mean it: ${shortId(tree.id)}`);
  }
  return tree;
}

/** Whether a tree works in another folder than the person is in. A chat has said where it works when it was opened. */
function isElsewhere({ project, chat }: Context, tree: Tree): boolean {
  return chat === null && workFolder(tree, project) !== project;
}

async function mustMeanIt(context: Context, tree: Tree, hint: Hint): Promise<void> {
  const which = `the conversation ${shortId(tree.id)}, ${treeWords(tree)}, works in ${shownFolder(tree.project ?? '')}`;
  const refused = new HubError('approval_needed', `${which}, and you are in ${shownFolder(context.project)}`, { hint });
  if (!canAsk(context)) throw refused;
  const answer = await ask(context, `${which}, not here. Go on there? [y/N]`);
  if (!/^y(es)?$/i.test(answer)) throw refused;
}
