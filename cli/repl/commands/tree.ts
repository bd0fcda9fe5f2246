import type { Command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { writeLines } from '../../output/sink.js';
import { formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import type { TreeLine } from '../../render/tree/draw_tree.js';
import { cliCommand, runCliCommand } from '../cli_commands/cli_command.js';
import type { Front } from '../front/front.js';
import type { ReplCommand } from '../repl.js';
import { wordsOf } from '../tree/split_words.js';

/** More lines than these push everything else out of sight. */
const LINES_MAX = 400;
/** Lines above the position, when not all are shown. */
const LINES_ABOVE = 300;
/** The rows of a screen that the editor and the row at the bottom need. */
const ROWS_BELOW = 4;
const FULL = { name: 'full', short: null, description: 'every node, also where the tree is larger than the screen' };

const label = { name: 'tree', usage: '[--full] [--forks] [--files] [--nested] [--ids] [--all]' };

/** Draws the tree; where it is larger than the screen one line for each branch. */
export const treeCommand: ReplCommand = {
  ...cliCommand({
    ...{ ...label, summary: 'draw the tree, and where you stand in it', completes: null, before: ['@'], bound: null },
    load: async () => drawingFor(null),
  }),
  async run(argument, repl) {
    await repl.conversation().ensure();
    const call = { words: ['@', ...wordsOf(argument)], label, bound: { lines: LINES_MAX, keeps: 'last' as const } };
    await runCliCommand(await drawingFor(repl.front), call, repl);
  },
};

async function drawingFor(front: Front | null): Promise<Command> {
  const { drawnTree, showCommand } = await import('../../commands/show.js');
  const isOnScreen = front?.attended === true && !front.isAppendOnly;
  const rows = isOnScreen ? front.rows() - ROWS_BELOW : Number.POSITIVE_INFINITY;
  return {
    ...showCommand,
    flags: [...showCommand.flags, FULL],
    async run(input, context) {
      const { tree, lines, overview } = await drawnTree(input, context);
      const all = [...lines];
      const isChosen = ['full', 'nested', 'ids', 'files'].some((flag) => input.flag(flag));
      if (input.flag('forks') || (!isChosen && all.length > rows)) {
        await writeLines(context.out, textsOf(await overview()));
        if (!input.flag('forks'))
          context.note(`(one line for each branch; all ${formatNumber(all.length)} nodes: /tree --full)`);
        return EXIT.ok;
      }
      // A long drawing on a screen is shown in a pager.
      const visible = isOnScreen ? all : aroundPosition(all);
      await writeLines(context.out, textsOf(visible));
      if (visible.length < all.length) {
        const shown = `${formatNumber(visible.length)} of ${formatNumber(all.length)} lines`;
        context.note(`(these are ${shown}; all of them: cognition show ${shortId(tree.id)})`);
      }
      return EXIT.ok;
    },
  };
}

function textsOf(lines: readonly TreeLine[]): string[] {
  return lines.map(({ text }) => text);
}

function aroundPosition(lines: readonly TreeLine[]): readonly TreeLine[] {
  const position = lines.findIndex(({ isPosition }) => isPosition);
  const first = Math.max(0, Math.min(position - LINES_ABOVE, lines.length - LINES_MAX));
  return lines.slice(first, first + LINES_MAX);
}
