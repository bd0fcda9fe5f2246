import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { formatAge } from '../../render/text/age.js';
import { cleanLine } from '../../render/text/clean.js';
import { columns } from '../../render/text/columns.js';
import { cut } from '../../render/text/cut.js';
import { formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import type { ReplCommand } from '../repl.js';

const HEADINGS = ['where', 'does', 'model', 'begun', 'task'];
const TURNS_MAX = 100;

type Running = ResultOf<'agent.status'>['turns'][number];

export const agentsCommand: ReplCommand = {
  name: 'agents',
  usage: '',
  summary: 'what is running, here and in other conversations',
  completes: null,
  async run(_, repl) {
    const { turns } = await repl.client.call('agent.status', {});
    const look = await repl.context.look(turns.map(({ task }) => task ?? ''));
    const here = repl.conversation().place.tree;
    const rows = turns.slice(0, TURNS_MAX).map((turn) => rowOf(turn, here, look.nowMs));
    const lines = columns([HEADINGS, ...rows], look).map((line) => `${cut(line, look.width, look)}\n`);
    await repl.front.show({ kind: 'text', text: turns.length === 0 ? 'Nothing is running.\n' : lines.join('') });
    if (turns.length > TURNS_MAX) {
      await repl.front.show({ kind: 'note', text: `(${formatNumber(turns.length - TURNS_MAX)} more are running)` });
    }
  },
};

function rowOf(turn: Running, here: string, nowMs: number): string[] {
  const { tree, model, activity, started_at_ms: startedAtMs, parent, task, by, seen_at_ms: seenMs } = turn;
  const where = tree === here ? 'here' : shortId(tree);
  const whose = by === undefined ? '' : `${cleanLine(by)}'s hub`;
  const what = parent === null ? whose : `sub-session: ${cleanLine(task ?? '')}`;
  return [
    where,
    seenMs === undefined ? activity : `last seen ${formatAge(seenMs, nowMs)}`,
    model,
    formatAge(startedAtMs, nowMs),
    what,
  ];
}
