import { hintText, nameOnCommandLine } from '../../../hub/base/hint.js';
import type { Hint, HintAction } from '../../../hub/protocol/errors.js';

/** What a failure says, from an error or off the wire. */
interface Failure {
  hint: Hint | null;
  details: Record<string, unknown>;
}
type Command = Extract<HintAction, { kind: 'command' }>;

/** Commands of the chat that take what those of the command line take. */
const SAME = ['list', 'new', 'output', 'search', 'use'];
/** The same without a tree, which is the open one here. */
const WITHOUT_TREE = ['branches', 'compact', 'compare', 'context', 'cost', 'export', 'leaves', 'log', 'mark', 'rename'];
/** A command with one of its words, where that is done otherwise here; null where it is not done here at all. */
const OTHERWISE: Readonly<Record<string, string | null>> = {
  'ask --continue': '/retry',
  'ask "message"': 'just type it',
  'compact --model': '/model <model>, then /compact',
  'output --follow': null,
};
const METHODS: Readonly<Record<string, string>> = {
  'loom.input_drop': 'Esc, which ends the turn',
  'loom.turn_list': '/list, or start a conversation with /new',
};
/** Options of the command line that are commands here. */
const OPTIONS = ['level', 'model'];

/** A hint, as one follows it in the chat; what is no command of the chat is one of the shell. */
export function hintInChat(hint: Hint): string {
  return hintText(hint, nameInChat);
}

/** What to do about a failure, in the chat. */
export function hintOfFailure({ hint, details }: Failure): string | null {
  if (hint === null) return null;
  // A key is taken from the environment when the chat starts.
  if (details.reason === 'key') return `leave, ${hintInChat(hint)}, and come back with: cognition chat @`;
  return hintInChat(hint);
}

/** How the chat calls what a hint names. */
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
  if (SAME.includes(command)) return [`/${command}`, ...words].join(' ');
  const name = command === 'show' ? 'tree' : WITHOUT_TREE.find((one) => one === command);
  if (name === undefined) return null;
  return [`/${name}`, ...(first.startsWith('--') ? words : words.slice(1))].join(' ');
}
