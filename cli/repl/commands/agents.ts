import type { ResultOf } from '../../../hub/protocol/methods.js';
import { formatAge } from '../../render/age.js';
import { cleanLine } from '../../render/clean.js';
import { columns } from '../../render/columns.js';
import { shortId } from '../../render/words.js';
import type { ReplCommand } from '../repl.js';

type Running = ResultOf<'agent.status'>['turns'][number];

export const agentsCommand: ReplCommand = {
  name: 'agents',
  usage: '',
  summary: 'what is running, here and in other conversations',
  completes: null,
  async run(_, repl) {
    const { turns } = await repl.client.call('agent.status', {});
    const look = await repl.context.look(turns.map(({ task }) => task ?? ''));
    const rows = turns.map((turn) => rowOf(turn, repl.conversation().place.tree, look.nowMs));
    const text =
      turns.length === 0
        ? 'Nothing is running.\n'
        : columns(rows, look)
            .map((line) => `${line}\n`)
            .join('');
    await repl.front.show({ kind: 'text', text });
  },
};

function rowOf(turn: Running, here: string, nowMs: number): string[] {
  const { tree, model, activity, started_at_ms: startedAtMs, parent, task } = turn;
  const where = tree === here ? 'here' : shortId(tree);
  const what = parent === null ? '' : `sub-session: ${cleanLine(task ?? '')}`;
  return [where, activity, model, formatAge(startedAtMs, nowMs), what];
}
