import type { Definition } from '../../render/text/definitions.js';

/** The keys of the editor, the most useful first. */
export const WRITING_KEYS: readonly Definition[] = [
  ['Enter', 'send; while a turn runs, the model reads it after the step under way'],
  ['Shift-Enter, Ctrl-J', 'a new line; so does Enter after a backslash'],
  ['Alt-Enter', 'a new line; while a turn runs: send it when the turn has ended'],
  ['Esc', 'end the turn; else, with nothing written: read the conversation (NORMAL)'],
  ['Esc Esc', 'the tree, to walk in'],
  ['Ctrl-C', 'clear what is written; else end the turn; twice: leave'],
  ['Ctrl-D', 'leave, with nothing written'],
  ['Shift-Tab', 'plan mode on or off'],
  ['Tab', 'complete a command, a file, a node'],
  ['Up, Down', 'what you wrote before; Ctrl-R searches it'],
  ['Ctrl-O', 'all that the last call of a tool gave'],
  ['Ctrl-G', 'write in $EDITOR'],
  ['Ctrl-A, Ctrl-E', 'begin and end of the line; Alt-B, Alt-F by words'],
  ['Ctrl-W, Ctrl-U, Ctrl-K', 'cut the word, to the begin, to the end; Ctrl-Y puts it back'],
  ['Ctrl-_, Alt-Z', 'undo, redo'],
  ['Ctrl-L, Ctrl-Z', 'draw anew; suspend, `fg` comes back'],
];

/** The keys where the terminal edits each line and sends it as a whole. */
export const LINE_KEYS: readonly Definition[] = [
  ['Enter', 'send; while a turn runs, the model reads it after the step under way'],
  ['Ctrl-C', 'clear what is written, and end the turn or the command that runs'],
  ['Ctrl-D', 'leave, with nothing written'],
  ['Ctrl-U, Ctrl-W', 'clear what is written, the last word of it'],
  ['Ctrl-Z', 'suspend; `fg` comes back'],
];
