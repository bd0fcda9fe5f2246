import { command, NODE_WORDS } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { writePatch } from '../../output/write_patch.js';
import { nodeFrom } from '../../position/position.js';
import { findTree } from '../../position/reference.js';
import { changeLines } from '../../render/reports/file_changes.js';

/** For commands that compare files. */
export const PATCH_FLAG = {
  name: 'patch',
  short: null,
  description: 'write a patch that `git apply` accepts',
} as const;

export const filesDiffCommand = command({
  name: 'diff',
  summary: 'Compare the files of a node with those of another, or with what is there.',
  arguments: [
    { name: 'node', required: false, description: `${NODE_WORDS}; where you stand when left out`, completes: 'node' },
    { name: 'other', required: false, description: 'another node; what is there when left out', completes: 'node' },
  ],
  flags: [PATCH_FLAG],
  examples: [
    { line: 'cognition files diff', does: 'lists what has changed since the node where you stand' },
    { line: 'cognition files diff a1b2c3d4 @', does: 'lists what differs between two nodes' },
    { line: 'cognition files diff a1b2c3d4 --patch | git apply', does: 'does the same changes in another folder' },
  ],
  async run(input, context) {
    const client = await context.client();
    const tree = await findTree(context, '@', 'read');
    const node = await nodeFrom(context, tree, input.argument('node') ?? '@');
    const named = input.argument('other');
    const other = named === undefined ? null : await nodeFrom(context, tree, named);
    const detail = input.flag('patch') ? 'patch' : 'lines';
    const found = await client.call('files.diff', { project: context.project, tree: tree.id, node, other, detail });
    if (context.json) await context.printJson(found);
    else if (found.patch !== null) await writePatch(context, found.patch);
    else await context.out.write(found.changed === 0 ? 'No file differs.\n' : changeLines(found));
    return EXIT.ok;
  },
});
