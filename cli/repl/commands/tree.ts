import { EXIT } from '../../output/failure.js';
import { formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import type { TreeLine } from '../../render/tree/draw_tree.js';
import { cliCommand } from '../cli_commands/cli_command.js';

/** More lines than these push everything else out of sight. */
const LINES_MAX = 400;
/** Lines above the position, when not all are shown. */
const LINES_ABOVE = 300;

/** Draws the tree; of a very large one the part around the position. */
export const treeCommand = cliCommand({
  ...{ before: ['@'], bound: null, completes: null },
  ...{ name: 'tree', usage: '[--nested] [--ids] [--all]', summary: 'draw the tree, and where you stand in it' },
  async load() {
    const { drawnTree, showCommand } = await import('../../commands/show.js');
    return {
      ...showCommand,
      async run(input, context) {
        const { tree, lines } = await drawnTree(input, context);
        const all = [...lines];
        const visible = aroundPosition(all);
        if (visible.length > 0) await context.out.write(visible.map(({ text }) => `${text}\n`).join(''));
        if (visible.length < all.length) {
          const shown = `${formatNumber(visible.length)} of ${formatNumber(all.length)} lines`;
          context.note(`(these are ${shown}; all of them: cognition show ${shortId(tree.id)})`);
        }
        return EXIT.ok;
      },
    };
  },
});

function aroundPosition(lines: readonly TreeLine[]): readonly TreeLine[] {
  const position = lines.findIndex(({ isPosition }) => isPosition);
  const first = Math.max(0, Math.min(position - LINES_ABOVE, lines.length - LINES_MAX));
  return lines.slice(first, first + LINES_MAX);
}
