import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { command, TREE } from '../command_line/command.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { remember } from '../position/remember.js';
import { laneOf, raceIn } from '../race/board.js';
import { changeLines, namedLines } from '../render/reports/file_changes.js';
import { count } from '../render/text/ids_and_counts.js';

export const pickCommand = command({
  name: 'pick',
  summary: 'Take what a lane of the newest race has made into your folder, and go on there.',
  details:
    'Three-way: what you have changed meanwhile stays; texts that both have changed are merged line by line, and what cannot be merged stays as it is and is named. cognition files undo takes it back. The other lanes stay as branches.',
  arguments: [
    { name: 'lane', required: true, description: 'its number on the board', completes: null },
    { ...TREE, required: false, description: `${TREE.description}; the current one when left out` },
  ],
  examples: [{ line: 'cognition pick 2', does: 'takes the files of the second lane' }],
  async run(input, context) {
    const client = await context.client();
    const tree = await treeToWorkIn(context, input.argument('tree') ?? '@', false);
    const number = Number(input.required('lane'));
    const copy = (await raceIn(client, tree.id))[number - 1];
    if (copy === undefined) {
      throw new HubError('not_found', `the newest race has no lane ${input.required('lane')}`, {
        hint: ['see them with: ', cliCommand('race')],
      });
    }
    const { tip, label } = await laneOf(client, copy, number);
    const taken = await client.call('files.take', { turn: copy.turn, tree: tree.id, node: tip });
    await remember(context, (session) => session.move(tree.id, tip));
    if (context.json) {
      await context.printJson({ ...taken, node: tip });
      return EXIT.ok;
    }
    const { changed, changes, kept, merged } = taken;
    await context.out.write(
      changeLines({ changed: changes.length, changes }) +
        merged.map((path) => `merged  ${path}\n`).join('') +
        namedLines('left', kept),
    );
    context.note([
      `Took ${count(changed, 'path')} of lane ${number}, ${label}. Back again: `,
      cliCommand('files undo'),
    ]);
    return kept.length === 0 ? EXIT.ok : EXIT.failure;
  },
});
