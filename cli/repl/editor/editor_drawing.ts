import type { ShownMenu } from '../../render/screens/editor_menu.js';
import type { EditorDrawing, ShownSearch } from '../../render/screens/editor_view.js';
import { matchIn } from './actions/history_search.js';
import { type Buffer, bufferOf } from './state/buffer.js';
import { type EditorState, type Search, tokenLabels } from './state/editor_state.js';

/** What of an editor is to be drawn. */
export function drawingOf(state: EditorState, placeholder: string): EditorDrawing {
  const buffer = shownBuffer(state);
  return {
    text: buffer.text,
    cursor: buffer.cursor,
    tokens: tokenLabels(buffer),
    placeholder,
    notice: state.isPasting ? 'a paste is coming in, Ctrl-C ends it' : null,
    menu: shownMenu(state),
    search: state.search === null ? null : shownSearch(state.search, buffer),
  };
}

/** While one searches, what was found; the cursor on the match, so that it is in sight. */
function shownBuffer({ buffer, search, history }: EditorState): Buffer {
  const entry = search === null || search.found === null ? undefined : history[search.found];
  if (search === null || entry === undefined) return buffer;
  const found = bufferOf(entry.content);
  return { ...found, cursor: matchIn(found.text, search.query)?.start ?? 0 };
}

function shownSearch({ query, isFailing, found }: Search, { text }: Buffer): ShownSearch {
  return { query, isFailing, match: found === null ? null : matchIn(text, query) };
}

function shownMenu({ menu }: EditorState): ShownMenu | null {
  if (menu.kind === 'closed') return null;
  const { trigger, items, selected } = menu;
  const slash = trigger.kind === 'command' ? '/' : '';
  return {
    items: items.map(({ value, detail }) => ({ label: slash + value, detail })),
    selected,
    cutAt: trigger.kind === 'file' ? 'start' : 'end',
  };
}
