import { command, NODE_WORDS } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { knownPosition, nodeFrom } from '../../position/position.js';
import { findTree } from '../../position/reference.js';
import { changeLines, namedLines, restoredText } from '../../render/reports/file_changes.js';

export const filesRestoreCommand = command({
  name: 'restore',
  summary: 'Bring the files of this project to what they were at a node.',
  details:
    'Files that somebody has changed since they were last recorded in this conversation stay, and are named; --exact brings those back too. What is there is recorded first: cognition files undo takes all of it back. The conversation stays where it is.',
  arguments: [{ name: 'node', required: true, description: NODE_WORDS, completes: 'node' }],
  flags: [
    { name: 'exact', short: null, description: 'bring back also what changed since' },
    { name: 'dry-run', short: null, description: 'only say what would be done' },
  ],
  examples: [
    { line: 'cognition files restore a1b2c3d4', does: 'brings the files back to what they were there' },
    { line: 'cognition files restore a1b2c3d4 --dry-run', does: 'lists what that would change' },
  ],
  async run(input, context) {
    const client = await context.client();
    const tree = await findTree(context, '@', 'read');
    const node = await nodeFrom(context, tree, input.required('node'));
    const params = { project: context.project, tree: tree.id, node, exact: input.flag('exact') };
    if (input.flag('dry-run')) {
      const plan = await client.call('files.plan', params);
      if (context.json) await context.printJson(plan);
      else
        await context.out.write(changeLines(plan) + namedLines('would stay', plan.kept) || 'Nothing would change.\n');
      return EXIT.ok;
    }
    const stands = await knownPosition(context, tree);
    const restored = await client.call('files.restore', { ...params, stands });
    if (context.json) await context.printJson(restored);
    else await context.out.write(restoredText(restored, 'Brought back'));
    return EXIT.ok;
  },
});
