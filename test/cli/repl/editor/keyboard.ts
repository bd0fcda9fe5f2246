import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import type { Completion } from '../../../../cli/repl/editor/completion/menu.js';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { press } from '../../../../cli/repl/editor/press.js';
import { textOfContent } from '../../../../cli/repl/editor/state/buffer.js';
import {
  type EditorState,
  type Effect,
  type Frame,
  newEditor,
} from '../../../../cli/repl/editor/state/editor_state.js';

const NO_COMPLETION: Completion = { commands: [], files: () => [], arguments: () => [] };

/** What is around the editor in a test: a wide window and nothing to complete. */
export const FRAME: Frame = {
  width: 80,
  ruler: wideRuler,
  altEnter: 'newline',
  takesBack: false,
  completion: NO_COMPLETION,
};

export interface Pressed {
  state: EditorState;
  effects: Effect[];
}

/** Presses what is written: text, keys as `<ctrl+a>`, and pastes. */
export function pressed(written: string | readonly Key[], from: EditorState = newEditor(), frame = FRAME): Pressed {
  let state = from;
  const effects: Effect[] = [];
  for (const key of typeof written === 'string' ? keysOf(written) : written) {
    const step = press(state, key, frame);
    state = step.state;
    if (step.effect !== null) effects.push(step.effect);
  }
  return { state, effects };
}

/** The text with a bar where the cursor is, after these keys. */
export function typing(written: string | readonly Key[], from?: EditorState, frame?: Frame): string {
  return seen(pressed(written, from, frame).state);
}

export function seen({ buffer: { text, cursor } }: EditorState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

/** An editor whose history holds these messages. */
export function withHistory(...messages: string[]): EditorState {
  return newEditor(messages.map((message) => [message]));
}

export function paste(text: string): Key {
  return { kind: 'paste', text };
}

export function keysOf(written: string): Key[] {
  return Array.from(written.matchAll(/<([a-z+_0-9/]+)>|([^<]+|<)/gu), ([, name, text]) =>
    name === undefined ? { kind: 'text', text: text ?? '' } : keyNamed(name),
  );
}

function keyNamed(name: string): Key {
  const words = name.split('+');
  const held = new Set(words.slice(0, -1));
  const [ctrl, alt, shift] = ['ctrl', 'alt', 'shift'].map((word) => held.has(word));
  return { kind: 'key', name: words.at(-1) ?? '', ctrl: ctrl === true, alt: alt === true, shift: shift === true };
}

/** What was sent, and how. */
export function sent(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'submit' ? [`${effect.how}: ${textOfContent(effect.content)}`] : [],
  );
}
