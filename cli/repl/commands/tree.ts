import { stripVTControlCharacters } from 'node:util';
import { formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import { delegate } from '../delegated/delegate.js';
import type { Repl, ReplCommand } from '../repl.js';

/** More lines than these push everything else out of sight. */
const LINES_MAX = 400;
/** Lines above the place where one stands, when not all are shown. */
const LINES_ABOVE = 300;

const whole = delegate({
  ...{ before: ['@'], bound: null, completes: null },
  ...{ name: 'tree', usage: '[--nested] [--ids] [--all]', summary: 'draw the tree, and where you stand in it' },
  load: async () => (await import('../../commands/show.js')).showCommand,
});

/** Draws the tree; of a very large one what lies around the place where one stands. */
export const treeCommand: ReplCommand = {
  ...whole,
  async run(given, repl) {
    let text = '';
    const collecting = {
      write: async (piece: string) => {
        text += piece;
      },
      end: async () => undefined,
    };
    await whole.run(given, { ...repl, context: { ...repl.context, out: collecting } });
    await showPart(repl, text);
  },
};

async function showPart({ front, context, conversation }: Repl, text: string): Promise<void> {
  const lines = text.split('\n').slice(0, -1);
  if (lines.length <= LINES_MAX) {
    if (text !== '') await front.show({ kind: 'text', text });
    return;
  }
  const { here } = (await context.look([])).glyphs;
  const ends = [here, `${here} you are here`];
  const place = lines.findLastIndex((line) => ends.some((end) => stripVTControlCharacters(line).endsWith(end)));
  const first = Math.max(0, Math.min(place - LINES_ABOVE, lines.length - LINES_MAX));
  const shown = lines.slice(first, first + LINES_MAX);
  await front.show({ kind: 'text', text: `${shown.join('\n')}\n` });
  const all = `all of them: cognition show ${shortId(conversation().place.tree)}`;
  await front.show({
    kind: 'note',
    text: `(these are ${formatNumber(shown.length)} of ${formatNumber(lines.length)} lines; ${all})`,
  });
}
