import { HubError } from '../../../hub/base/error.js';
import type { ReplCommand } from '../repl.js';

export const compactCommand: ReplCommand = {
  name: 'compact',
  usage: '[what matters]',
  summary: 'summarise the path to here: a model is sent the summary alone, and what follows',
  completes: null,
  async run(argument, repl) {
    const here = repl.conversation();
    if (here.turns.current() !== null) {
      throw new HubError('conflict', 'a turn is running', { hint: 'wait for its end, or end it with /stop' });
    }
    await here.ensure();
    here.turns.compact(argument === '' ? null : argument);
  },
};
