import { cliCommand } from '../../hub/base/hint.js';
import type { TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { count, shortId } from '../render/text/ids_and_counts.js';

/** Notes what the model leaves running when its turn has ended. */
export async function noteJobs(context: Context, tree: TreeId): Promise<void> {
  const { jobs } = await (await context.client()).call('agent.job_list', { tree });
  const names = jobs.flatMap(({ name, ended }) => (ended === null ? [name] : []));
  if (names.length === 0) return;
  const what = `${count(names.length, 'job')} still running: ${names.join(', ')}. See: `;
  context.note([what, cliCommand('jobs', shortId(tree))]);
}
