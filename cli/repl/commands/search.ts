import { HubError } from '../../../hub/base/error.js';
import type { Definition } from '../../render/text/definitions.js';
import { runCliCommand } from '../cli_commands/cli_command.js';
import type { ReplCommand } from '../repl.js';

const EVERYWHERE = '--everywhere';
const ALL = '--all';
const REGEX = '--regex';
const ROLE = /(?:^|\s)--role(?:\s+|=)(\S+)/u;
const LIMIT = /(?:^|\s)--limit(?:\s+|=)(\S+)/u;

const DETAILS: readonly Definition[] = [
  [EVERYWHERE, 'in all conversations, not only in this one'],
  [ALL, 'with archived branches and conversations'],
  ['--role role', 'only what was said as user, assistant, tool or summary'],
  [REGEX, 'what follows is one regular expression; ^ and $ are the ends of a line'],
  ['--limit number', 'how many to show; 50 when left out'],
  ['"two words"', 'words that stand together; otherwise each of them may be anywhere in the text'],
];

export const searchCommand: ReplCommand = {
  name: 'search',
  usage: `<words> [${EVERYWHERE}] [${ALL}] [${REGEX}] [--role role] [--limit number]`,
  summary: 'find text in all branches of this conversation, or of all',
  completes: null,
  details: async () => DETAILS,
  async run(argument, repl) {
    const limit = LIMIT.exec(argument)?.[1];
    const role = ROLE.exec(argument)?.[1];
    const words = argument.replace(LIMIT, ' ').replace(ROLE, ' ').split(/\s+/);
    const query = words
      .filter((word) => ![EVERYWHERE, ALL, REGEX].includes(word))
      .join(' ')
      .trim();
    if (query === '') {
      throw new HubError('invalid_params', '/search takes words to look for', { hint: '/search apple pie' });
    }
    await repl.conversation().ensure();
    const options = [
      ...(words.includes(EVERYWHERE) ? [] : ['--tree', '@']),
      ...(words.includes(ALL) ? [ALL] : []),
      ...(words.includes(REGEX) ? [REGEX] : []),
      ...(role === undefined ? [] : ['--role', role]),
      ...(limit === undefined ? [] : ['--limit', limit]),
    ];
    const { searchCommand: command } = await import('../../commands/search.js');
    await runCliCommand(command, { words: [...options, '--', query], label: searchCommand, bound: null }, repl);
  },
};
