import type { Ruler } from '../../render/look/ruler.js';
import { putBefore, putInstead } from '../editor/actions/insert_text.js';
import { refreshMenu } from '../editor/actions/menu_actions.js';
import type { Completion } from '../editor/completion/menu.js';
import type { Key } from '../editor/keys/key.js';
import { createKeyReader } from '../editor/keys/key_reader.js';
import { press } from '../editor/press.js';
import type { Content } from '../editor/state/buffer.js';
import { type EditorState, type Effect, type Frame, newEditor } from '../editor/state/editor_state.js';
import { createUnmarkedPastes } from '../editor/unmarked_paste.js';

/** What is being written, and what keys do to it. */
export interface EditorInput {
  state(): EditorState;
  /** What the keyboard sends. */
  type(text: string): void;
  /** Takes one key. */
  take(key: Key): void;
  /** Puts a text before what is written, where one goes on writing. */
  insert(text: string): void;
  /** Puts this in the place of all that is written, which can be undone. */
  replace(content: Content): void;
  /** Looks again for what can be offered. */
  refresh(): void;
  stop(): void;
}

export interface EditorParts {
  history: readonly Content[];
  columns: () => number;
  ruler: Ruler;
  completion: Completion;
  /** Whether the terminal tells what is pasted from what is typed. */
  marksPastes: boolean;
  /** Whether a turn runs, so that a message may wait for its end. */
  isRunning: () => boolean;
  /** Whether a key is for something else, which has taken it. */
  isElsewhere(key: Key): boolean;
  /** Told after every key. */
  changed(): void;
  act(effect: Effect): void;
}

export function createEditorInput(parts: EditorParts): EditorInput {
  let state = newEditor(parts.history);
  const frame = (): Frame => ({
    width: parts.columns(),
    ruler: parts.ruler,
    altEnter: parts.isRunning() ? 'queue' : 'newline',
    completion: parts.completion,
  });
  const take = (key: Key): void => {
    const step = press(state, key, frame());
    state = step.state;
    parts.changed();
    if (step.effect !== null) parts.act(step.effect);
  };
  const pastes = createUnmarkedPastes(take, parts.marksPastes);
  const reader = createKeyReader({
    keys(keys) {
      const rest = withoutFirst(keys, parts.isElsewhere);
      if (pastes.take(rest)) return;
      for (const [at, key] of rest.entries()) if (at === 0 || !parts.isElsewhere(key)) take(key);
    },
    pasting(isPasting) {
      state = { ...state, isPasting };
      parts.changed();
    },
  });
  return {
    state: () => state,
    type: reader.take,
    take,
    insert(text) {
      state = putBefore(state, text);
      parts.changed();
    },
    replace(content) {
      state = putInstead(state, content);
      parts.changed();
    },
    refresh() {
      state = refreshMenu(state, frame());
      parts.changed();
    },
    stop() {
      reader.stop();
      pastes.stop();
    },
  };
}

/** The keys from the first one on that nobody else takes. */
function withoutFirst(keys: readonly Key[], isElsewhere: (key: Key) => boolean): readonly Key[] {
  const first = keys.findIndex((key) => !isElsewhere(key));
  return first < 0 ? [] : keys.slice(first);
}
