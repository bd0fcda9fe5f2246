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

/** The editor and its keys. */
export interface EditorInput {
  state(): EditorState;
  /** Takes keyboard input. */
  type(text: string): void;
  /** Takes keys that another view passed on. */
  take(keys: readonly Key[]): void;
  /** Inserts a text before the draft and keeps the cursor. */
  insert(text: string): void;
  /** Replaces the draft; undo restores it. */
  replace(content: Content): void;
  /** Completes again. */
  refresh(): void;
  stop(): void;
}

export interface EditorParts {
  history: readonly Content[];
  columns: () => number;
  ruler: Ruler;
  completion: Completion;
  /** Whether the terminal brackets pastes. */
  marksPastes: boolean;
  /** Whether a turn runs, so that messages may be queued. */
  isRunning: () => boolean;
  /** Whether messages wait to be heard. */
  isWaiting: () => boolean;
  /** Whether something else has taken the key. */
  isElsewhere(key: Key): boolean;
  /** Called after every key. */
  changed(): void;
  act(effect: Effect): void;
}

export function createEditorInput(parts: EditorParts): EditorInput {
  let state = newEditor(parts.history);
  const frame = (): Frame => ({
    width: parts.columns(),
    ruler: parts.ruler,
    altEnter: parts.isRunning() ? 'queue' : 'newline',
    takesBack: parts.isWaiting(),
    completion: parts.completion,
  });
  const take = (key: Key): void => {
    const step = press(state, key, frame());
    state = step.state;
    parts.changed();
    if (step.effect !== null) parts.act(step.effect);
  };
  const pastes = createUnmarkedPastes(take, parts.marksPastes);
  const takeAll = (keys: readonly Key[]): void => {
    if (!pastes.take(keys)) for (const key of keys) take(key);
  };
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
    take: takeAll,
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

/** The keys from the first one that nothing else has taken. */
function withoutFirst(keys: readonly Key[], isElsewhere: (key: Key) => boolean): readonly Key[] {
  const first = keys.findIndex((key) => !isElsewhere(key));
  return first < 0 ? [] : keys.slice(first);
}
