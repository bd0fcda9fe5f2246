import type { Hint, HintAction } from '../protocol/errors.js';

/** Names a command of the command line in a hint: `cliCommand('hub logs')`, `cliCommand('show', '--ids')`. */
export function cliCommand(command: string, ...words: string[]): HintAction {
  return { kind: 'command', command, arguments: words };
}

/** Names an option of the command that failed: `cliOption('model', 'demo')`. */
export function cliOption(option: string, value: string): HintAction {
  return { kind: 'option', option, value };
}

/** Names a method of the protocol: `rpcMethod('loom.turn_list')`. */
export function rpcMethod(method: string): HintAction {
  return { kind: 'method', method };
}

/** A hint as one text. `nameOf` names the actions in it; by default as on the command line. */
export function hintText(hint: Hint, nameOf: (action: HintAction) => string = nameOnCommandLine): string {
  if (typeof hint === 'string') return hint;
  return hint.map((piece) => (typeof piece === 'string' ? piece : nameOf(piece))).join('');
}

/** A hint with text appended. */
export function extendHint(hint: Hint, more: string): Hint {
  return typeof hint === 'string' ? hint + more : [...hint, more];
}

export function nameOnCommandLine(action: HintAction): string {
  if (action.kind === 'method') return action.method;
  if (action.kind === 'option') return `--${action.option} ${action.value}`.trimEnd();
  return ['cognition', action.command, ...action.arguments].filter((word) => word !== '').join(' ');
}
