import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { cleanLine } from '../text/clean.js';
import { count, formatNumber } from '../text/ids_and_counts.js';

type Changes = Pick<ResultOf<'files.diff'>, 'changed' | 'changes'>;

const LETTERS = { added: 'A', changed: 'M', removed: 'D' } as const;
const SHOWN_MAX = 200;

/** One line for each path that differs. */
export function changeLines({ changed, changes }: Changes): string {
  const shown = changes.slice(0, SHOWN_MAX).map((change) => `${changeLine(change)}\n`);
  const more = changed - shown.length;
  return shown.join('') + (more > 0 ? `and ${formatNumber(more)} more\n` : '');
}

function changeLine({ path, kind, lines }: Changes['changes'][number]): string {
  const counts = lines === null ? '' : `  +${lines.added} -${lines.removed}`;
  return `${LETTERS[kind]}  ${cleanLine(path)}${counts}`;
}

/** One line for each path that something is said of, after what that is. */
export function namedLines(what: string, paths: readonly { path: string; why: string }[]): string {
  const shown = paths.slice(0, SHOWN_MAX).map(({ path, why }) => `${what}  ${cleanLine(path || '.')}: ${why}\n`);
  const more = paths.length - shown.length;
  return shown.join('') + (more > 0 ? `${what}  ${formatNumber(more)} more\n` : '');
}

/** What a restore has done. */
export function restoredText({ changed, kept }: ResultOf<'files.restore'>, done: string): string {
  const head = changed === 0 ? 'Nothing was changed.\n' : `${done} ${count(changed, 'path')}.\n`;
  return head + namedLines('left', kept);
}
