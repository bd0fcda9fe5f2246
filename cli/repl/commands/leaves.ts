import type { Leaf } from '../../../hub/protocol/node.js';
import { withLongerWords } from '../../position/longer_previews.js';
import { renderLeaves } from '../../render/tree/leaves.js';
import type { Repl, ReplCommand } from '../repl.js';
import { hasFlag } from '../tree/split_words.js';

// A longer list is not readable.
const LEAVES_MAX = 200;
const NUMBER_COLUMNS = 6;

export const leavesCommand: ReplCommand = {
  name: 'leaves',
  usage: '[--all]',
  summary: 'list the ends of all branches, newest first',
  completes: null,
  details: async () => [['--all', 'with archived branches']],
  run: async (argument, repl) =>
    showLeaves(repl, { archived: hasFlag(argument, '--all', leavesCommand), limit: LEAVES_MAX }),
};

/** Lists leaves, numbered for /switch. */
export async function showLeaves(repl: Repl, which: { archived: boolean; limit: number }): Promise<void> {
  const here = repl.conversation();
  await here.ensure();
  const params = { tree: here.place.tree, ...which };
  const { leaves, cursor } = await repl.client.call('loom.context_list_leaves', params);
  repl.listed = { kind: 'leaves', nodes: leaves.map(({ node }) => node.id) };
  await repl.front.show({ kind: 'text', text: await listText(repl, await withLongerWords(repl.client, leaves)) });
  if (cursor !== null)
    await repl.front.show({
      kind: 'note',
      text:
        which.limit < LEAVES_MAX
          ? '(/leaves lists more)'
          : `(these are the newest ${leaves.length}; walk through all of them with Esc Esc, or find one with /search)`,
    });
}

async function listText(
  { context, conversation }: Parameters<ReplCommand['run']>[1],
  leaves: readonly Leaf[],
): Promise<string> {
  if (leaves.length === 0) return 'Every branch is archived. See them with: /leaves --all\n';
  const look = await context.look(leaves.map(({ node, differs }) => node.preview + differs));
  const narrow = { ...look, width: look.width - NUMBER_COLUMNS };
  const lines = renderLeaves(leaves, conversation().place.position(), narrow).trimEnd().split('\n');
  return lines.map((line, place) => `${String(place + 1).padStart(3)}. ${line}\n`).join('');
}
