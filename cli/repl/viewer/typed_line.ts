import { plainRuler } from '../../render/look/ruler.js';
import type { ShownTyping } from '../../render/screens/viewer_page.js';
import { refreshMenu } from '../editor/actions/menu_actions.js';
import type { Completion } from '../editor/completion/menu.js';
import { drawingOf } from '../editor/editor_drawing.js';
import type { Key, KeyPress } from '../editor/keys/key.js';
import { press } from '../editor/press.js';
import { bufferOf } from '../editor/state/buffer.js';
import { type EditorState, type Frame, MENU_CLOSED, newEditor } from '../editor/state/editor_state.js';

/** The line typed in the bottom row: a query or a command. */
export interface TypedLine {
  sign: '/' | ':';
  /** A command begins with a slash, as in the editor; the slash is hidden. */
  editor: EditorState;
}

/** Entered lines, oldest first. */
export type TypedHistory = Record<TypedLine['sign'], string[]>;

/** The effect of a key on a line. */
export type TypedStep = { kind: 'goes_on'; line: TypedLine } | { kind: 'left' } | { kind: 'entered'; text: string };

// Longer pastes become a placeholder in the editor.
const LENGTH_MAX = 500;
const HISTORY_MAX = 200;
// The line takes one row at any length.
const FRAME: Omit<Frame, 'completion'> = {
  width: 4 * LENGTH_MAX,
  ruler: plainRuler,
  altEnter: 'newline',
  takesBack: false,
};
const NO_COMPLETION: Completion = { commands: [], files: () => [], arguments: () => [] };
// Keys that work as in the editor.
const KEYS = new Set([
  ...['left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'delete', 'tab', 'shift+tab', 'enter', 'escape'],
  ...['ctrl+a', 'ctrl+b', 'ctrl+d', 'ctrl+e', 'ctrl+f', 'ctrl+h', 'ctrl+k', 'ctrl+n', 'ctrl+p', 'ctrl+u', 'ctrl+w'],
  ...['ctrl+y', 'ctrl+_', 'ctrl+left', 'ctrl+right', 'alt+b', 'alt+d', 'alt+f', 'alt+left', 'alt+right', 'alt+y'],
  ...['alt+backspace', 'ctrl+backspace', 'shift+backspace'],
]);

export function beginLine(sign: TypedLine['sign'], history: TypedHistory): TypedLine {
  const prefix = prefixOf(sign);
  const editor = newEditor(history[sign].map((text) => [prefix + text]));
  return { sign, editor: { ...editor, buffer: bufferOf([prefix]) } };
}

function typedText({ sign, editor }: TypedLine): string {
  return editor.buffer.text.slice(prefixOf(sign).length);
}

/** Applies a key. Completion starts with the first Tab. */
export function typedKey(line: TypedLine, key: Key, completion: Completion): TypedStep {
  if (key.kind !== 'key')
    return goesOn(line, pressed(line, { kind: 'text', text: insertable(line, key.text) }, completion));
  const name = nameOf(key);
  const { menu } = line.editor;
  if (name === 'ctrl+c' || (name === 'escape' && menu.kind === 'closed')) return { kind: 'left' };
  if (name === 'enter' && menu.kind === 'closed') return { kind: 'entered', text: typedText(line) };
  if (isErasing(name) && typedText(line) === '') return { kind: 'left' };
  if (!KEYS.has(name)) return { kind: 'goes_on', line };
  const step = press(line.editor, key, frameFor(line, name, completion));
  if (step.effect?.kind === 'submit') return { kind: 'entered', text: typedText(line) };
  return goesOn(line, step.state);
}

/** Completes again. */
export function refreshLine(line: TypedLine, completion: Completion): TypedLine {
  return line.editor.menu.kind === 'open' ? { ...line, editor: refreshMenu(line.editor, { completion }) } : line;
}

/** Adds an entered line to the history. */
export function remember(history: TypedHistory, sign: TypedLine['sign'], text: string): void {
  const list = history[sign];
  if (text.trim() === '' || list.at(-1) === text) return;
  list.push(text);
  list.splice(0, Math.max(0, list.length - HISTORY_MAX));
}

export function shownLine(line: TypedLine): ShownTyping {
  const { menu } = drawingOf(line.editor, '');
  const items = menu?.items.map(({ label, detail }) => ({ label: label.replace(/^\//, ':'), detail })) ?? [];
  return {
    sign: line.sign,
    text: typedText(line),
    cursor: line.editor.buffer.cursor - prefixOf(line.sign).length,
    menu: menu === null ? null : { ...menu, items },
  };
}

function prefixOf(sign: TypedLine['sign']): string {
  return sign === ':' ? '/' : '';
}

function pressed(line: TypedLine, key: Key, completion: Completion): EditorState {
  return press(line.editor, key, frameFor(line, '', completion)).state;
}

function frameFor({ sign, editor }: TypedLine, name: string, completion: Completion): Frame {
  const isOffered = sign === ':' && (name === 'tab' || editor.menu.kind === 'open');
  return { ...FRAME, completion: isOffered ? completion : NO_COMPLETION };
}

function insertable({ editor }: TypedLine, text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, Math.max(0, LENGTH_MAX - editor.buffer.text.length));
}

/** Keeps the slash and removes line breaks. */
function goesOn(line: TypedLine, state: EditorState): TypedStep {
  const prefix = prefixOf(line.sign);
  const { text, cursor } = state.buffer;
  const isWhole = text.startsWith(prefix);
  const buffer = {
    ...state.buffer,
    text: (isWhole ? text : prefix + text).replaceAll('\n', ' '),
    cursor: Math.max(prefix.length, isWhole ? cursor : cursor + prefix.length),
  };
  // With a complete line the arrows browse the history.
  const [only, another] = state.menu.kind === 'open' ? state.menu.items : [];
  const isWritten = another === undefined && only !== undefined && buffer.text === prefix + only.value;
  return {
    kind: 'goes_on',
    line: { ...line, editor: { ...state, buffer, menu: isWritten ? MENU_CLOSED : state.menu } },
  };
}

function isErasing(name: string): boolean {
  return ['backspace', 'shift+backspace', 'ctrl+h', 'ctrl+d'].includes(name);
}

function nameOf({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}
