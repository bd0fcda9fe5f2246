import type { ReplCommand } from '../repl.js';

export const quitCommand: ReplCommand = {
  name: 'quit',
  usage: '',
  summary: 'leave; the conversation stays',
  completes: null,
  run: async (_, repl) => repl.leave(),
};
