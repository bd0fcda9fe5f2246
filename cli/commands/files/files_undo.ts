import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { positionOf } from '../../position/position.js';
import { findTree } from '../../position/reference.js';
import { restoredText } from '../../render/reports/file_changes.js';

export const filesUndoCommand = command({
  name: 'undo',
  summary: 'Take back the last restore; once more, do it again.',
  details: 'Files that somebody has changed since then stay, and are named.',
  examples: [{ line: 'cognition files undo', does: 'brings back what was there before the last restore' }],
  async run(_input, context) {
    const client = await context.client();
    const tree = await findTree(context, '@', 'read');
    const node = await positionOf(context, tree, undefined);
    const restored = await client.call('files.undo', { project: context.project, tree: tree.id, node });
    if (context.json) await context.printJson(restored);
    else await context.out.write(restoredText(restored, 'Took back'));
    return EXIT.ok;
  },
});
