import type { ReplCommand } from '../repl.js';

export const resetCommand: ReplCommand = {
  name: 'reset',
  usage: '',
  summary: 'your next !command begins in a new shell: without the variables, functions and aliases of those before',
  completes: null,
  async run(_, repl) {
    repl.shell.reset();
    const text = 'Your next command begins in a new shell, in the same folder.';
    await repl.front.show({ kind: 'note', text });
  },
};
