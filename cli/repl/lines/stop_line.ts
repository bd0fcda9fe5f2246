import { showFailure } from '../conversation/conversation_parts.js';
import { stopAtHub } from '../conversation/other_hubs.js';
import { stopJobs } from '../conversation/stop_jobs.js';
import type { Repl } from '../repl.js';
import type { LineQueue } from './line_queue.js';

/** Whether a line is /stop, which must not wait behind the line that it stops. */
export function isStopLine(text: string): boolean {
  return /^\s*\/stop\s*$/i.test(text);
}

export async function stopByLine(text: string, repl: Repl, lines: LineQueue): Promise<void> {
  // The last line of a script has to be running before it can be stopped; a person does not wait.
  if (!repl.front.attended) await lines.underWay();
  await repl.front.show({ kind: 'typed_line', text: text.trim() });
  await stopRunning(
    repl,
    async (isStopped) => (await stopJobs(repl)) || (!isStopped && (await stopAtHub(repl.conversation()))),
  );
}

/** Stops the running command, else what runs beside the conversation, else the turn and what is to end after it; false when there is nothing. */
export async function stopRunning(
  { shell, conversation, front, asides }: Repl,
  stopMore: (isStopped: boolean) => Promise<boolean> = async () => false,
): Promise<boolean> {
  try {
    if (shell.stop()) return true;
    if (asides.size > 0) {
      for (const stop of asides) stop();
      return true;
    }
    const isStopped = await conversation().turns.stop();
    if ((await stopMore(isStopped)) || isStopped) return true;
    await front.show({ kind: 'note', text: 'Nothing is running. To leave: /quit' });
    return false;
  } catch (error) {
    await showFailure(front, error);
    return true;
  }
}
