import { KEY_VARIABLES } from '../../hub/base/provider_records.js';

const ASK = 'one question, one answer: cognition ask "what is this?"; to talk: cognition chat';
const RESUME = 'go on in the current conversation: cognition chat @; the others: cognition list';
const IN_CHAT = 'that is a command of a conversation: /help in `cognition chat` lists them';

/** What other programs of this kind are started with, and what does that here. */
const HERE: Readonly<Record<string, string>> = {
  ...sameHint(RESUME, ['resume', 'continue', 'last', '-c', '--continue', '-r', '--resume']),
  ...sameHint(ASK, ['run', 'prompt', 'print', '-p', '--print', '--prompt']),
  ...sameHint('to talk: cognition chat', ['start', 'repl', 'tui', 'talk', 'new-chat', '-m', '--model']),
  ...sameHint('list conversations: cognition list', ['ls', 'sessions', 'history', 'conversations', 'chats', 'trees']),
  ...sameHint('draw it: cognition show; in a chat: /tree', ['tree', 'graph', 'draw']),
  ...sameHint('hide it: cognition delete <tree>; delete it for good: cognition purge <tree>', ['rm', 'remove']),
  ...sameHint('the version: cognition --version; nothing updates by itself', [
    ...['version', '-v', '-V', 'update', 'upgrade'],
  ]),
  ...sameHint(`a key stands in ${KEY_VARIABLES.join(' or ')}; nothing is logged in to`, [
    ...['login', 'logout', 'auth', 'setup-token'],
  ]),
  ...sameHint('choose one with: cognition ask --model <name>, or for always: cognition config set model <name>', [
    ...['model', 'models'],
  ]),
  ...sameHint('it is there: cognition hub status', ['status', 'serve', 'server', 'daemon', 'ps']),
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

/** A hint for words that mean something elsewhere, or that are a whole message; null when there is nothing to say. */
export function foreignHint(words: readonly string[]): string | null {
  const [first = ''] = words;
  if (/\s/.test(first.trim())) return ASK;
  return Object.hasOwn(HERE, first) ? (HERE[first] ?? null) : null;
}

function sameHint(hint: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, hint]));
}
