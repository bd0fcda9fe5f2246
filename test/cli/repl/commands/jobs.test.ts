import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../../../hub/agent/jobs/served.js';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { until } from '../../../tools/bash/processes.js';
import { type CommandTalk, withModel } from './command_talk.js';

/** Has the model start a job, and waits until the turn has ended. */
async function startJob({ server, does, terminal }: CommandTalk, job: string, command: string): Promise<void> {
  server.script(say(call(`c-${job}`, 'bash', { command, background: true, job })), say(words(`Started ${job}.`)));
  await does(`start ${job}`, `Started ${job}.`);
  await terminal.waitFor((screen) => !/Esc stops|^stopping/m.test(screen.join('\n')));
}

test('a job stands in the row at the bottom and in /jobs, a line says that it has ended, and /stop ends all', async () => {
  await withModel(async (talk) => {
    const { does, terminal, folder, another } = talk;
    const mark = `job-in-${folder}`;
    await startJob(talk, 'web', `echo listens; export MARK=${mark}; exec sleep 1000`);
    await terminal.waitFor(/\[ NET: off \] 1 job /);
    await startJob(talk, 'test', 'echo begun; until [ -e go ]; do sleep 0.05; done; exit 3');
    await terminal.waitFor(/\[ NET: off \] 2 jobs /);
    await does('/jobs', /web {3}running .*\n.*test {2}running/);
    await does('/jobs web', '(web is running)');
    writeFileSync(join(folder, 'go'), '');
    await terminal.waitFor('(job test has ended: exit code 3)');
    await terminal.waitFor(/\[ NET: off \] 1 job /);
    await another(async ({ terminal: second, ...others }) => {
      await second.waitFor(/\[ NET: off \] 1 job /);
      expect(isAlive(mark)).toBe(true);
      await others.does('/stop', '(1 job ended: web)');
      expect(isAlive(mark)).toBe(false);
      await second.waitFor((screen) => !/NET: off \] \d job/.test(screen.join('\n')));
    });
    await terminal.waitFor((screen) => !/NET: off \] \d job/.test(screen.join('\n')));
    await startJob(talk, 'web', `export MARK=${mark}; exec sleep 1000`);
    await does('/jobs web --stop', 'ended: web');
    await until(() => !isAlive(mark));
  });
});
