import { HubError } from '../../../hub/error.js';
import { runCommand } from '../delegate.js';
import type { ReplCommand } from '../repl.js';

const EVERYWHERE = '--everywhere';

export const searchCommand: ReplCommand = {
  name: 'search',
  usage: `<words> [${EVERYWHERE}]`,
  summary: 'find text in all branches of this conversation, or of all',
  completes: null,
  async run(given, repl) {
    const words = given.split(/\s+/).filter((word) => word !== EVERYWHERE);
    const query = words.join(' ').trim();
    if (query === '') throw new HubError('invalid_params', '/search takes words to look for');
    await repl.conversation().ensure();
    const where = words.length < given.split(/\s+/).length ? [] : ['--tree', '@'];
    const { searchCommand: command } = await import('../../commands/search.js');
    await runCommand(command, [...where, '--', query], repl);
  },
};
