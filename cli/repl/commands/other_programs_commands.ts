import { KEY_VARIABLES } from '../../../hub/base/provider_records.js';

/** Other words for a command, which people try. */
const ALSO: Readonly<Record<string, string>> = {
  '': 'help',
  '?': 'help',
  exit: 'quit',
  q: 'quit',
  effort: 'thinking',
  think: 'thinking',
  rewind: 'back',
};

/** The equivalents of commands of other programs. Short, so that each is one line. */
const HERE: readonly (readonly [names: string, hint: string])[] = [
  ['resume sessions history continue', 'see conversations with /list, and go on in one with /use <id>'],
  ['checkpoint redo', 'go back with /back, or say the last message anew with /fork'],
  ['init memory remember', 'what a model has to know stands in AGENTS.md; after a change: /reload'],
  ['status session stats usage tokens', 'who answers: /model, what was spent: /cost, what is sent: /context'],
  ['login logout auth key', `a key is taken from ${KEY_VARIABLES.join(' or ')} at the start`],
  ['config settings preferences theme', 'in the shell: cognition config list'],
  ['vim', 'Esc reads with the keys of vim; Ctrl-G writes in $EDITOR'],
  ['name title', 'that is /rename here'],
  ['approvals approve allow sandbox yolo', 'what it may do: /level; the network: Esc, then Space n'],
  ['tools mcp skills hooks', 'what it may use: /level; skills are read anew with /reload'],
  ['doctor bug feedback', 'in the shell: cognition doctor'],
  ['review changes', 'what the conversation has changed: /diff; what branches do not share: /compare'],
  ['keys hotkeys shortcuts keybindings', 'the keys: /help keys'],
  ['save share', 'everything is kept already; into a file: /export --output <file>'],
  ['delete archive remove', 'Esc Esc, then x hides a branch; in the shell: cognition delete <tree>'],
  ['editor edit', 'Ctrl-G writes in $EDITOR'],
  ['summarize summarise compress', 'that is /compact here'],
  ['cd pwd add-dir', 'your own commands begin with an exclamation mark: !cd <folder>'],
  ['shell bash run exec', 'your own commands begin with an exclamation mark: !ls'],
  ['upgrade update version', 'in the shell: cognition --version; nothing updates by itself'],
];

/** A command's own name, by whatever other one it is called here. */
export function nameHere(said: string): string {
  return ALSO[said] ?? said;
}

/** What to type instead of a command that other programs have; null when none is known by that name. */
export function hintElsewhere(name: string): string | null {
  return HERE.find(([names]) => names.split(' ').includes(name))?.[1] ?? null;
}
