import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import { command, type Input, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { remember } from '../position/remember.js';
import { createLaneReader, laneNumbered, raceIn } from '../race/board.js';
import { pickOnRemote } from '../race/pick_remote.js';
import { type TakenFiles, takeFiles, takenText } from '../race/take_files.js';
import { count } from '../render/text/ids_and_counts.js';
import { chosenRemote } from '../sharing/remotes.js';

/** For commands that take files of another branch. */
export const THEIRS_VALUE = {
  name: 'theirs',
  value: 'paths',
  choices: null,
  description: 'of these take the other version where both have changed them; several with commas between, `.` for all',
} as const;

export const pickCommand = command({
  name: 'pick',
  summary: 'Take what a lane of the newest race has made into your folder, and go on there.',
  details:
    'Three-way: what you have changed meanwhile stays; texts that both have changed are merged line by line. What cannot be merged is asked file by file on a terminal; else it stays as it is and is named, and --theirs takes it. cognition files undo takes all of it back. What a check has made in the copy is not taken. The other lanes stay as branches.',
  arguments: [
    { name: 'lane', required: true, description: 'its number on the board', completes: null },
    { ...TREE, required: false, description: `${TREE.description}; the current one when left out` },
  ],
  values: [
    { name: 'at', value: 'node', choices: null, description: `of the race below this message: ${NODE_WORDS}` },
    THEIRS_VALUE,
    { name: 'on', value: 'remote', choices: null, description: 'of the race that workers of this remote run' },
  ],
  examples: [
    { line: 'cognition pick 2', does: 'takes the files of the second lane' },
    { line: 'cognition pick 2 --theirs src/a.ts', does: 'takes its version of a file that you have changed, too' },
  ],
  async run(input, context) {
    const client = await context.client();
    const tree = await treeToWorkIn(context, input.argument('tree') ?? '@', false);
    const on = input.value('on');
    if (on !== undefined) {
      const remote = chosenRemote(context, on);
      return pickOnRemote(context, { remote, tree, number: input.required('lane') });
    }
    const at = await nodeOr(context, tree, input);
    const copies = await raceIn(client, tree.id, at);
    const { copy, number } = laneNumbered(copies, input.required('lane'));
    const lanes = await createLaneReader(client)(copies);
    const tip = lanes[number - 1]?.tip ?? copy.node;
    const of = { kind: 'copy' as const, turn: copy.turn };
    const taken = await takeFiles(context, { of, tree: tree.id, node: tip, theirs: pathsIn(input.value('theirs')) });
    await remember(context, (session) => session.move(tree.id, tip));
    return tellTaken(context, taken, { node: tip, from: `lane ${number}, ${copy.label}` });
  },
});

async function nodeOr(context: Context, tree: Tree, input: Input<never, never, 'at'>): Promise<NodeId | null> {
  const at = input.value('at');
  return at === undefined ? null : positionOf(context, tree, at);
}

/** Paths that stand in one option. */
export function pathsIn(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
}

/** Says what was taken; returns the exit code. */
export async function tellTaken(
  context: Context,
  taken: TakenFiles,
  { node, from }: { node: NodeId; from: string },
): Promise<number> {
  if (context.json) await context.printJson({ ...taken, node });
  else {
    await context.out.write(takenText(taken));
    const took = `Took ${count(taken.changed, 'path')} of ${from}.`;
    // Where nothing was changed it would take back what was restored before.
    context.note(taken.changed === 0 ? took : [`${took} Back again: `, cliCommand('files undo')]);
  }
  return taken.kept.length === 0 ? EXIT.ok : EXIT.failure;
}
