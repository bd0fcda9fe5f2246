import { HubError } from '../../../hub/base/error.js';
import { stopAtHub } from '../conversation/other_hubs.js';
import { stopJobs } from '../conversation/stop_jobs.js';
import type { ReplCommand } from '../repl.js';

export const stopCommand: ReplCommand = {
  name: 'stop',
  usage: '',
  summary: 'end the turn that runs, and what the model runs in the background; what was said so far is kept',
  completes: null,
  async run(_, repl) {
    const here = repl.conversation();
    const isStopped = (await here.turns.stop()) || (await stopAtHub(here));
    if ((await stopJobs(repl)) || isStopped) return;
    await repl.front.show({ kind: 'note', text: 'Nothing is running.' });
  },
};

export const queueCommand: ReplCommand = {
  name: 'queue',
  usage: '<message>',
  summary: 'say something when the turn that runs has ended',
  completes: null,
  async run(argument, repl) {
    if (argument === '') {
      throw new HubError('invalid_params', '/queue takes a message', { hint: '/queue then run the tests' });
    }
    await repl.speaking.say(argument, 'after');
  },
};
