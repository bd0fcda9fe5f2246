import { plainRuler } from '../../render/look/ruler.js';
import type { ShownTyping } from '../../render/screens/viewer_page.js';
import { refreshMenu } from '../editor/actions/menu_actions.js';
import type { Completion } from '../editor/completion/menu.js';
import { drawingOf } from '../editor/editor_drawing.js';
import type { Key, KeyPress } from '../editor/keys/key.js';
import { press } from '../editor/press.js';
import { bufferOf } from '../editor/state/buffer.js';
import { type EditorState, type Frame, MENU_CLOSED, newEditor } from '../editor/state/editor_state.js';

/** A line that is typed in the bottom row: what to search for, or a command. */
export interface TypedLine {
  sign: '/' | ':';
  /** Of a command the text begins with a slash, as where messages are written; it is not shown. */
  editor: EditorState;
}

/** What was entered before, the oldest first. */
export type TypedHistory = Record<TypedLine['sign'], string[]>;

/** What a key makes of a line. */
export type TypedStep = { kind: 'goes_on'; line: TypedLine } | { kind: 'left' } | { kind: 'entered'; text: string };

// Of what is longer than this an editor makes one sign.
const LENGTH_MAX = 500;
const HISTORY_MAX = 200;
// The line is one row, however long it is.
const FRAME: Omit<Frame, 'completion'> = { width: 4 * LENGTH_MAX, ruler: plainRuler, altEnter: 'newline' };
const NO_COMPLETION: Completion = { commands: [], files: () => [], arguments: () => [] };
// What a key does here that it does where messages are written.
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

/** Takes a key. Candidates are offered from the first Tab on. */
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

/** Looks again for what can be offered. */
export function refreshLine(line: TypedLine, completion: Completion): TypedLine {
  return line.editor.menu.kind === 'open' ? { ...line, editor: refreshMenu(line.editor, { completion }) } : line;
}

/** Keeps what was entered, to be had back with the arrow up. */
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

/** The slash stays where it is, and no line end comes in. */
function goesOn(line: TypedLine, state: EditorState): TypedStep {
  const prefix = prefixOf(line.sign);
  const { text, cursor } = state.buffer;
  const isWhole = text.startsWith(prefix);
  const buffer = {
    ...state.buffer,
    text: (isWhole ? text : prefix + text).replaceAll('\n', ' '),
    cursor: Math.max(prefix.length, isWhole ? cursor : cursor + prefix.length),
  };
  // What is written already needs no completing: the arrows are for what was entered before.
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
