import { listedBranches } from '../../commands/branches.js';
import { renderBranches } from '../../render/branches.js';
import type { Repl, ReplCommand } from '../repl.js';

export const branchesCommand: ReplCommand = {
  name: 'branches',
  usage: '[--all]',
  summary: 'list the branches here, or at the nearest fork above',
  completes: null,
  async run(given, repl) {
    const here = repl.conversation();
    await here.ensure();
    const { place } = here;
    const at = { position: place.position(), all: given === '--all' };
    const listed = await listedBranches(repl.context, { id: place.tree }, at);
    // Who has just forked asks for what is here, not above.
    const isBare = place.isForked() && (await childCount(repl)) === 0;
    const branches = isBare ? [] : listed;
    repl.listed = { kind: 'branches', nodes: branches.map(({ id }) => id) };
    const look = await repl.context.look(branches.map(({ title }) => title.preview));
    const text = isBare
      ? 'Current node has no branches: nothing has grown from here yet.\n'
      : renderBranches(branches, look);
    await repl.front.show({ kind: 'text', text });
  },
};

async function childCount({ conversation, client }: Repl): Promise<number> {
  const { child_count: count } = await client.call('loom.node_get', { node: conversation().place.position() });
  return count;
}
