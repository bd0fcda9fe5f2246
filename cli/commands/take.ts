import { command, NODE_WORDS } from '../command_line/command.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { readBranchSource } from '../race/branch_source.js';
import { takeFiles } from '../race/take_files.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { pathsIn, THEIRS_VALUE, tellTaken } from './pick.js';

export const takeCommand = command({
  name: 'take',
  summary: 'Take what another branch has made into your folder, all of it or some files, and stay where you are.',
  details:
    'What counts is what that branch has changed since it left your path. Three-way, as with pick: what you have changed stays, texts are merged line by line, and cognition files undo takes it back.',
  arguments: [
    { name: 'node', required: true, description: NODE_WORDS, completes: null },
    { name: 'paths', required: false, description: 'files and folders, with commas between', completes: null },
  ],
  values: [THEIRS_VALUE],
  examples: [
    { line: 'cognition take a1b2c3d4', does: 'takes all that was changed there' },
    { line: 'cognition take a1b2c3d4 src/parse.ts,docs', does: 'takes a file and a folder of it' },
  ],
  async run(input, context) {
    const client = await context.client();
    const tree = await treeToWorkIn(context, '@', false);
    const from = await positionOf(context, tree, input.required('node'));
    const here = await positionOf(context, tree, undefined);
    const { since } = await readBranchSource(client, { from, here });
    const taken = await takeFiles(context, {
      of: { kind: 'branch', project: workFolder(tree, context.project), node: from, since: since.id },
      ...{ tree: tree.id, node: here, paths: pathsIn(input.argument('paths')) },
      theirs: pathsIn(input.value('theirs')),
    });
    return tellTaken(context, taken, { node: here, from: `the branch of ${shortId(from)}` });
  },
});
