import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Tree } from '../../hub/protocol/node.js';
import { command, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { ask } from '../input/ask_person.js';
import { treeToChange } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { remember } from '../position/remember.js';
import { count, formatBytes, shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';

export const purgeCommand = command({
  name: 'purge',
  summary: 'Delete a conversation for good.',
  details:
    'Says what would go, then asks for the name or short id. Without a terminal it needs --yes. Exports, backups and transcripts of it stay. See delete for what can be undone.',
  arguments: [TREE],
  flags: [{ name: 'yes', short: null, description: 'do not ask' }],
  examples: [
    { line: 'cognition purge a1b2c3d4', does: 'deletes that conversation and its stored outputs, after asking' },
    { line: 'cognition purge a1b2c3d4 --yes', does: 'the same in a script' },
  ],
  async run(input, context) {
    const tree = await treeToChange(context, input.required('tree'), 'purge');
    const client = await context.client();
    const plan = await client.call('loom.tree_purge', { tree: tree.id });
    if (!context.json || !input.flag('yes')) context.note(planText(tree, plan));
    if (!input.flag('yes')) await confirm(context, tree);
    await client.call('agent.job_stop', { tree: tree.id });
    const done = await client.call('loom.tree_purge', { tree: tree.id, confirm: plan.confirm });
    if (existsSync(join(context.paths.home, 'files'))) await client.call('files.sweep', {});
    for (const gone of [tree, ...done.owned]) await remember(context, (session) => session.forget(gone.id));
    if (context.json) await context.printJson(done);
    else await context.out.write(`Deleted ${treeWords(tree)}.\n`);
    return EXIT.ok;
  },
});

function planText(tree: Tree, plan: ResultOf<'loom.tree_purge'>): string {
  const owned = plan.owned.map((one) => `\n  with its sub-session ${shortId(one.id)}  ${treeWords(one)}`).join('');
  const outputs = `${formatBytes(plan.output_bytes)} of stored outputs`;
  return `This deletes ${shortId(tree.id)}  ${treeWords(tree)}\n  for good: ${count(plan.node_count, 'node')}, ${outputs}${owned}`;
}

async function confirm(context: Context, tree: Tree): Promise<void> {
  const name = tree.name ?? shortId(tree.id);
  const answer = await ask(context, `Type ${name} to delete it: `);
  if (answer === name || answer === shortId(tree.id) || answer === tree.id) return;
  throw new HubError('approval_needed', 'nothing was deleted: the answer was another', {
    hint: `it asks for ${name}`,
  });
}
