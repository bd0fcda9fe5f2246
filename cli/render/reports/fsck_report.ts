import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { cleanLine } from '../text/clean.js';
import { count, formatBytes, formatNumber, shortId } from '../text/ids_and_counts.js';

type Report = ResultOf<'loom.fsck'>;

/** The result of checking the store: a line per problem, then the number of objects checked. */
export function renderReport(report: Report): string {
  const lines = report.problems.map(problemLine);
  const unlisted = report.problem_count - report.problems.length;
  if (unlisted > 0) lines.push(`and ${formatNumber(unlisted)} more`);
  const checked = [count(report.trees, 'tree'), count(report.nodes, 'node'), count(report.outputs, 'stored output')];
  lines.push(
    `${checked.join(', ')}: ${report.problem_count === 0 ? 'all is well' : count(report.problem_count, 'problem')}`,
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** What was looked at of recorded files, and what can go. */
export function filesLine({ projects, snapshots, unneeded }: ResultOf<'files.check'>): string {
  const line = `${count(projects, 'project')} with ${count(snapshots, 'snapshot')} of files`;
  return unneeded === 0 ? `${line}\n` : `${line}; the next purge removes ${formatBytes(unneeded)} that none needs\n`;
}

function problemLine({ tree, node, problem }: Report['problems'][number]): string {
  const parts = [tree === null ? '' : `tree ${shortId(tree)}`, node === null ? '' : `node ${node}`].filter(
    (part) => part !== '',
  );
  return `${parts.join(' ')}${parts.length > 0 ? ': ' : ''}${cleanLine(problem)}`;
}
