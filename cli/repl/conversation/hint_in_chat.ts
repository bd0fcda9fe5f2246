import { hintText, nameOnCommandLine } from '../../../hub/base/hint.js';
import type { Hint, HintAction } from '../../../hub/protocol/errors.js';

/** The text of a failure, from an error or a message. */
interface Failure {
  hint: Hint | null;
  details: Record<string, unknown>;
}
type Command = Extract<HintAction, { kind: 'command' }>;

/** Chat commands with the arguments of the command line. */
const SAME = [
  'files status',
  'files undo',
  'git status',
  'git take',
  'git undo',
  'list',
  'new',
  'output',
  'search',
  'use',
];
/** Chat commands that drop the tree argument: the open tree is meant. */
const WITHOUT_TREE = [
  'branches',
  'compact',
  'compare',
  'context',
  'cost',
  'export',
  'jobs',
  'leaves',
  'log',
  'mark',
  'permissions',
  'race',
  'rename',
];
/** Subcommands with another form in the chat; null for those without one. */
const OTHERWISE: Readonly<Record<string, string | null>> = {
  'ask --continue': '/retry',
  'ask "message"': 'just type it',
  'compact --model': '/model <model>, then /compact',
  'output --follow': null,
  'race --on': null,
};
const METHODS: Readonly<Record<string, string>> = {
  'loom.input_drop': 'Esc, which ends the turn',
  'loom.turn_list': '/list, or start a conversation with /new',
};
/** Options that are commands in the chat. */
const OPTIONS = ['level', 'model'];

/** A hint in chat form; other commands are shown for the shell. */
export function hintInChat(hint: Hint): string {
  return hintText(hint, nameInChat);
}

/** The hint of a failure, in chat form. */
export function hintOfFailure({ hint, details }: Failure): string | null {
  if (hint === null) return null;
  // Keys are read from the environment when the chat starts.
  if (details.reason === 'key') return `leave, ${hintInChat(hint)}, and come back with: cognition chat @`;
  return hintInChat(hint);
}

/** The chat form of a hinted command. */
export function nameInChat(action: HintAction): string {
  switch (action.kind) {
    case 'command':
      return commandInChat(action) ?? nameOnCommandLine(action);
    case 'option':
      return OPTIONS.includes(action.option) ? `/${action.option} ${action.value}` : nameOnCommandLine(action);
    case 'method':
      return METHODS[action.method] ?? action.method;
  }
}

function commandInChat({ command, arguments: words }: Command): string | null {
  const [first = ''] = words;
  const special = words.map((word) => `${command} ${word}`).find((call) => call in OTHERWISE);
  if (special !== undefined) return OTHERWISE[special] ?? null;
  if (command === 'pick') return `/take ${first}`;
  if (command === 'answer') return '/answer';
  if (SAME.includes(command)) return [`/${command}`, ...words].join(' ');
  const name = command === 'show' ? 'tree' : WITHOUT_TREE.find((one) => one === command);
  if (name === undefined) return null;
  return [`/${name}`, ...(first.startsWith('--') ? words : words.slice(1))].join(' ');
}
