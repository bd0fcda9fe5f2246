import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Look } from '../render/look/look.js';
import { formatAge } from '../render/text/age.js';
import { cleanLine } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { cut } from '../render/text/cut.js';
import { shortId } from '../render/text/ids_and_counts.js';

type Listed = ResultOf<'sharing.task_list'>;

/** Who works, and on what; then what waits and what has ended. */
export function workersText({ workers, tasks }: Listed, look: Look): string {
  const rows = workers.map(({ by, login, project, level, models, running, at_once: most, people }) => {
    const whose = people === '' ? login : people;
    return [by, project, level, `${running} of ${most}`, `for ${whose}`, models].map(cleanLine);
  });
  const works = columns(rows, look).map((line) => cut(line.trimEnd(), look.width, look));
  const facts = tasks.map((task) =>
    [shortId(task.id), stateOf(task), task.project, task.login, ...timeOf(task, look.nowMs)].map(cleanLine),
  );
  const lines = columns(facts, look).map((line, row) => {
    const { title = '', reason = null } = tasks[row] ?? {};
    return cut(`${line}  ${cleanLine(reason === null ? title : `${title}: ${reason}`)}`.trimEnd(), look.width, look);
  });
  const all = [
    ...(works.length === 0 ? ['Nobody works over it now.'] : works),
    ...(lines.length === 0 ? [] : ['', ...lines]),
  ];
  return all.map((line) => `${line}\n`).join('');
}

function stateOf({ state, stop }: Listed['tasks'][number]): string {
  return state === 'running' && stop ? 'stopping' : state;
}

/** On whom and since when, and what it has cost. */
function timeOf(
  { worker, began_at_ms, made_at_ms, ended_at_ms, price_microdollars }: Listed['tasks'][number],
  nowMs: number,
): string[] {
  const since = ended_at_ms ?? began_at_ms ?? made_at_ms;
  return [
    worker?.by ?? worker?.login ?? '',
    formatAge(since, nowMs),
    `$${(price_microdollars / 1_000_000).toFixed(4)}`,
  ];
}
