import { cliCommand } from '../../hub/base/hint.js';
import { KEY_VARIABLES } from '../../hub/base/provider_records.js';
import type { Hint } from '../../hub/protocol/errors.js';

const CHAT = cliCommand('chat');
const ASK: Hint = ['one question, one answer: ', cliCommand('ask', '"what is this?"'), '; to talk: ', CHAT];
const RESUME: Hint = [
  ...['go on in the current conversation: ', cliCommand('chat', '@')],
  ...['; the others: ', cliCommand('list')],
];
const IN_CHAT: Hint = ['that is a command of a conversation: /help in `', CHAT, '` lists them'];
const HIDE: Hint = [
  ...['hide it: ', cliCommand('delete', '<tree>')],
  ...['; delete it for good: ', cliCommand('purge', '<tree>')],
];
const CHOOSE: Hint = [
  ...['choose one with: ', cliCommand('ask', '--model', '<name>')],
  ...[', or for always: ', cliCommand('config set', 'model', '<name>')],
];

/** Commands and options of similar programs, and what does the same here. */
const HERE: Readonly<Record<string, Hint>> = {
  ...sameHint(RESUME, ['resume', 'continue', 'last', '-c', '--continue', '-r', '--resume']),
  ...sameHint(ASK, ['run', 'prompt', 'print', '-p', '--print', '--prompt']),
  ...sameHint(['to talk: ', CHAT], ['start', 'repl', 'tui', 'talk', 'new-chat', '-m', '--model']),
  ...sameHint(
    ['list conversations: ', cliCommand('list')],
    ['ls', 'sessions', 'history', 'conversations', 'chats', 'trees'],
  ),
  ...sameHint(['draw it: ', cliCommand('show'), '; in a chat: /tree'], ['tree', 'graph', 'draw']),
  ...sameHint(HIDE, ['rm', 'remove']),
  ...sameHint(
    ['the version: ', cliCommand('', '--version'), '; nothing updates by itself'],
    [...['version', '-v', '-V', 'update', 'upgrade']],
  ),
  ...sameHint(`a key stands in ${KEY_VARIABLES.join(' or ')}; nothing is logged in to`, [
    ...['login', 'logout', 'auth', 'setup-token'],
  ]),
  ...sameHint(CHOOSE, [...['model', 'models']]),
  ...sameHint(['it is there: ', cliCommand('hub status')], ['status', 'serve', 'server', 'daemon', 'ps']),
  ...sameHint('write what a model has to know into AGENTS.md in the project', ['init']),
  ...sameHint(IN_CHAT, [
    'fork',
    'back',
    'switch',
    'retry',
    'plan',
    'execute',
    'level',
    'clear',
    'copy',
    'quit',
    'exit',
  ]),
};

/** A hint for the words of another program, or for a message without a command; null for other words. */
export function foreignHint(words: readonly string[]): Hint | null {
  const [first = ''] = words;
  if (/\s/.test(first.trim())) return ASK;
  return Object.hasOwn(HERE, first) ? (HERE[first] ?? null) : null;
}

function sameHint(hint: Hint, names: readonly string[]): Record<string, Hint> {
  return Object.fromEntries(names.map((name) => [name, hint]));
}
