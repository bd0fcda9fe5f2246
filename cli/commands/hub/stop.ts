import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { command } from '../../command_line/command.js';
import type { Context } from '../../command_line/command_context.js';
import { runningHub } from '../../command_line/running_hub.js';
import { EXIT } from '../../output/failure.js';

const END_MS_MAX = 15_000;
const POLL_MS = 25;

export const hubStopCommand = command({
  name: 'stop',
  summary: 'End the hub, after it has answered what it has begun.',
  details: 'Nothing that was acknowledged is lost. The next command that needs the hub starts it again.',
  flags: [{ name: 'if-idle', short: null, description: 'only when nothing is running' }],
  examples: [{ line: 'cognition hub stop', does: 'ends it' }],
  async run(input, context) {
    const client = await runningHub(context);
    if (client === null) return say(context, { stopped: false, text: 'No hub runs.' });
    const { pid } = await client.call('health.check', {});
    const { stopping } = await client.call('health.stop', { if_idle: input.flag('if-idle') });
    await client.close();
    if (!stopping) return say(context, { stopped: false, text: 'The hub is at work and goes on.' });
    await endOf(pid);
    return say(context, { stopped: true, text: 'The hub has ended.' });
  },
});

async function say(context: Context, { stopped, text }: { stopped: boolean; text: string }): Promise<number> {
  if (context.json) await context.printJson({ stopped });
  else await context.out.write(`${text}\n`);
  return EXIT.ok;
}

async function endOf(pid: number): Promise<void> {
  const deadlineMs = performance.now() + END_MS_MAX;
  while (isAlive(pid)) {
    if (performance.now() > deadlineMs) {
      throw new HubError('conflict', `the hub, process ${pid}, has not ended after ${END_MS_MAX / 1000} seconds`, {
        hint: ['see what it does: ', cliCommand('hub logs')],
      });
    }
    await wait(POLL_MS);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
  return !isZombie(pid);
}

// The hub is detached, so init reaps it, which in some containers takes a while.
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false; // it has just gone, or this system tells it in another way
  }
}
