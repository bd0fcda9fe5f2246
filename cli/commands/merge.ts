import { HubError } from '../../hub/base/error.js';
import type { NodeId, Tree, TreeId } from '../../hub/protocol/node.js';
import { command, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { messageFrom } from '../input/message.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { newNodeId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { remember } from '../position/remember.js';
import { type BranchSource, readBranchSource } from '../race/branch_source.js';
import { branchSummary } from '../race/branch_summary.js';
import { answerText, mergeBlocks } from '../race/merge_message.js';
import { type TakenFiles, takeFiles, takenText } from '../race/take_files.js';
import { count, shortId } from '../render/text/ids_and_counts.js';

export const mergeCommand = command({
  name: 'merge',
  summary: 'Bring what another branch has found to where you stand: as a message, with its files.',
  details:
    'The message says where it is from: which branch, which nodes, and their hashes. Its text is the final answer there, word for word, unless you give another. The conversation stays a tree: the message has one parent, which is where you stand. Files come as with take; cognition files undo takes them back. What was said there in detail stays in its branch.',
  arguments: [
    { name: 'node', required: true, description: NODE_WORDS, completes: null },
    {
      name: 'text',
      required: false,
      description: 'what to say instead of its answer, or - for standard input',
      completes: null,
    },
  ],
  flags: [
    { name: 'summary', short: null, description: 'a summary of the branch by the model, instead of its final answer' },
    { name: 'preview', short: null, description: 'only print the text, to be changed and given back' },
    { name: 'no-files', short: null, description: 'take no files along' },
  ],
  examples: [
    { line: 'cognition merge a1b2c3d4', does: 'brings the answer that ends there, and its files' },
    { line: 'cognition merge a1b2c3d4 --summary', does: 'brings what a model makes of that branch' },
    { line: 'cognition merge a1b2c3d4 --preview | sed 1q | cognition merge a1b2c3d4 -', does: 'brings its first line' },
  ],
  async run(input, context) {
    const client = await context.client();
    const tree = await treeToWorkIn(context, '@', false);
    const from = await positionOf(context, tree, input.required('node'));
    const here = await positionOf(context, tree, undefined);
    const source = await readBranchSource(client, { from, here });
    const given = input.argument('text');
    const text = await textFor(context, source, { tree: tree.id, given, isSummary: input.flag('summary') });
    if (input.flag('preview')) {
      await context.out.write(`${text}\n`);
      return EXIT.ok;
    }
    const id = newNodeId();
    const message = { id, tree: tree.id, parent: here, role: 'user' as const, blocks: mergeBlocks(source, text) };
    context.chat?.adds(id, 'as_message');
    await client.call('loom.node_create_text', message);
    await remember(context, (session) => session.move(tree.id, id));
    const taken = input.flag('no-files') ? null : await takenWith(context, tree, { from, since: source.since.id, id });
    if (context.json)
      await context.printJson({ node: id, from, since: source.since.id, nodes: source.nodes, files: taken });
    else await context.out.write(taken === null ? '' : takenText(taken));
    context.note(`Brought ${count(source.nodes.length, 'node')} of ${shortId(from)} here, as ${shortId(id)}.`);
    return taken === null || taken.kept.length === 0 ? EXIT.ok : EXIT.failure;
  },
});

async function textFor(
  context: Context,
  source: BranchSource,
  { tree, given, isSummary }: { tree: TreeId; given: string | undefined; isSummary: boolean },
): Promise<string> {
  if (given === undefined && !isSummary) return answerText(source);
  if (given === undefined) return branchSummary(context, { tree, from: source.tip.id, since: source.since.id });
  if (!isSummary) return messageFrom(given);
  throw new HubError('invalid_params', '--summary has the model say it: leave out the text');
}

/** Takes the files along, where they are recorded. */
async function takenWith(
  context: Context,
  tree: Tree,
  { from, since, id }: Record<'from' | 'since' | 'id', NodeId>,
): Promise<TakenFiles | null> {
  const of = { kind: 'branch' as const, project: workFolder(tree, context.project), node: from, since };
  try {
    return await takeFiles(context, { of, tree: tree.id, node: id });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    context.note(`The files stay as they are: ${error.message}`);
    return null;
  }
}
