import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { count, formatNumber, shortId } from '../render/text/ids_and_counts.js';
import { chosenRemote } from './remotes.js';

type Report = ResultOf<'sharing.remote_fsck'>;

/** Proves all that a remote has, and says what is damaged there. */
export async function checkRemote(context: Context, named: string, repair: boolean): Promise<number> {
  const remote = chosenRemote(context, named);
  const report = await (await context.client()).call('sharing.remote_fsck', { remote, repair });
  const left = report.problem_count - report.repaired;
  if (context.json) await context.printJson({ remote, ...report });
  else await context.out.write(reportText(remote, report));
  if (report.unproven > 0) context.note(`${entries(report.unproven)} of very large conversations could not be proven.`);
  if (repair) context.note(`Put back ${entries(report.repaired)} as they are here.`);
  else if (left > 0) {
    context.note([
      'Nobody takes what is damaged. Who owns the database puts it back from a home that has it whole: ',
      cliCommand('fsck', '--repair', '--remote', remote),
    ]);
  }
  return left <= 0 ? EXIT.ok : EXIT.failure;
}

/** A remote is checked as a whole. */
export function refuseWithTree(reference: string | undefined): void {
  if (reference === undefined) return;
  throw new HubError('invalid_params', '--remote checks all of a remote, not one conversation');
}

function reportText(remote: string, report: Report): string {
  const lines = report.problems.map(problemLine);
  const unlisted = report.problem_count - report.problems.length;
  if (unlisted > 0) lines.push(`and ${formatNumber(unlisted)} more`);
  const checked = [
    ...[count(report.trees, 'conversation'), entries(report.entries)],
    ...[count(report.nodes, 'node'), count(report.outputs, 'stored output')],
    ...(report.file_sets === 0 ? [] : [`${count(report.file_sets, 'set')} of recorded files`]),
  ];
  const outcome = report.problem_count === 0 ? 'all is well' : count(report.problem_count, 'problem');
  lines.push(`${remote}: ${checked.join(', ')}: ${outcome}`);
  return lines.map((line) => `${line}\n`).join('');
}

function problemLine({ tree, entry, problem }: Report['problems'][number]): string {
  const place = entry === null ? '' : ` entry ${entry}`;
  return `${tree === null ? '' : `${shortId(tree)}${place}: `}${cleanLine(problem)}`;
}

function entries(number: number): string {
  return `${formatNumber(number)} ${number === 1 ? 'entry' : 'entries'}`;
}
