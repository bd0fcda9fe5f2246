import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { findTree } from '../../position/reference.js';
import { changeLines, namedLines } from '../../render/reports/file_changes.js';
import { formatAge } from '../../render/text/age.js';
import { count, formatBytes, shortId } from '../../render/text/ids_and_counts.js';

export const filesStatusCommand = command({
  name: 'status',
  summary: 'Show what has changed since the files were last recorded in this conversation.',
  examples: [{ line: 'cognition files status', does: 'lists what changed since, and what is not recorded' }],
  async run(_input, context) {
    const client = await context.client();
    const tree = await findTree(context, '@', 'read');
    const status = await client.call('files.status', { project: context.project, tree: tree.id });
    if (context.json) await context.printJson(status);
    else await context.out.write(statusText(status, (await context.look([])).nowMs));
    return EXIT.ok;
  },
});

function statusText(status: ResultOf<'files.status'>, nowMs: number): string {
  const { recorded, files, bytes, changed, changes, left_out: leftOut } = status;
  const head =
    recorded === null
      ? 'No files are recorded in this conversation yet.\n'
      : `Recorded at ${shortId(recorded.node)}, ${formatAge(recorded.at_ms, nowMs)}: ${count(files, 'file')} (${formatBytes(bytes)} for the project).\n`;
  const since = changed === 0 ? 'Nothing has changed since.\n' : changeLines({ changed, changes });
  return head + (recorded === null ? '' : since) + namedLines('not recorded', leftOut);
}
