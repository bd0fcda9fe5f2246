import { count } from '../../render/text/ids_and_counts.js';
import type { Repl } from '../repl.js';

/** Ends what models run in the background of the open conversation; false when that is nothing. */
export async function stopJobs({ client, conversation, front }: Repl): Promise<boolean> {
  const here = conversation();
  if (!here.isMade()) return false;
  const { stopped } = await client.call('agent.job_stop', { tree: here.place.tree });
  if (stopped.length === 0) return false;
  await front.show({ kind: 'note', text: `(${count(stopped.length, 'job')} ended: ${stopped.join(', ')})` });
  return true;
}
