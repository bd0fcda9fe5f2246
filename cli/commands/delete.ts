import { cliCommand } from '../../hub/base/hint.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { nodeFrom } from '../position/position.js';
import { currentTreeIn } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { noteRunningWork } from '../reports/running_work.js';

export const deleteCommand = command({
  name: 'delete',
  summary: 'Archive a conversation, or one branch of it.',
  details:
    'Nothing is lost: an archived conversation can be read, and restored at any time. To delete for good, see purge.',
  arguments: [
    TREE,
    {
      name: 'node',
      required: false,
      description: `archive only this node and all that grew from it: ${NODE_WORDS}`,
      completes: null,
    },
  ],
  examples: [
    { line: 'cognition delete @', does: 'archives the current conversation' },
    { line: 'cognition delete @ 5e6f7a8b', does: 'archives the branch that begins at that node' },
  ],
  async run(input, context) {
    const tree = await treeToChange(context, input.required('tree'), 'change');
    const client = await context.client();
    const reference = input.argument('node');
    if (reference !== undefined) {
      const named = await nodeFrom(context, tree, reference);
      const { step } = (await client.call('loom.node_get', { tree: tree.id, node: named })).node;
      const node = step?.id ?? named;
      const changed = await client.call('loom.branch_archive', { tree: tree.id, node });
      if (context.json) await context.printJson(changed);
      else
        await context.out.write(
          `Archived the branch at ${shortId(node)}. Restore with: cognition restore ${shortId(tree.id)} ${shortId(node)}\n`,
        );
      if (step !== null && named !== node)
        context.note(`Its step went with it: the answer that called it${otherCalls(step)}.`);
      await noteRunningWork(context, tree.id, node);
      return EXIT.ok;
    }
    const archived = await client.call('loom.tree_archive', { tree: tree.id });
    await client.call('agent.job_stop', { tree: tree.id });
    const wasCurrent = [currentTreeIn(context), context.session.read().current].includes(tree.id);
    await remember(context, (session) => session.drop(tree.id));
    if (context.json) await context.printJson(archived);
    else await context.out.write(`Archived ${treeWords(tree)}. Restore with: cognition restore ${shortId(tree.id)}\n`);
    await noteRunningWork(context, tree.id, null);
    if (wasCurrent) await noteNoCurrent(context);
    return EXIT.ok;
  },
});

/** Says how to go on where no conversation is the current one. */
async function noteNoCurrent(context: Context): Promise<void> {
  const client = await context.client();
  const { trees } = await client.call('loom.tree_list', { project: context.project, limit: 1 });
  const [newest] = trees;
  context.note(
    newest === undefined
      ? ['Nothing is current here now. Begin anew with: ', cliCommand('chat')]
      : [
          `Nothing is current here now. Go on in the newest, ${treeWords(newest)}, with: `,
          cliCommand('use', shortId(newest.id)),
        ],
  );
}

/** A step is an answer, the call that was named, and others. */
function otherCalls({ size }: { size: number }): string {
  return size === 2 ? '' : `, and ${count(size - 2, 'other call')}`;
}
