import { goToRunning, goToSibling } from '../state/moves.js';
import { help, type PageView, query, view } from '../state/view_state.js';
import { SEARCH_ID, searchFor } from './search.js';

export const VIEWS: readonly PageView[] = ['read', 'compare', 'map', 'cost'];

/** The keys that count anywhere on the page. Returns how to stop. */
export function listenToKeys(): () => void {
  const listen = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') back();
    else if (!isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey && press(event.key))
      event.preventDefault();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.matches('input, textarea, select');
}

/** Closes what is open, one thing at a time. */
function back(): void {
  if (help.value) help.value = false;
  else if (query.value !== '') {
    searchFor('');
    document.getElementById(SEARCH_ID)?.blur();
  } else view.value = 'read';
}

/** What a key does; false for one that means nothing here. */
function press(key: string): boolean {
  const chosen = VIEWS[Number(key) - 1];
  if (chosen !== undefined) view.value = chosen;
  else if (key === '/') document.getElementById(SEARCH_ID)?.focus();
  else if (key === '?') help.value = !help.value;
  else if (key === 'n') goToRunning();
  else if (key === '[' || key === ']') goToSibling(key === ']' ? 1 : -1);
  else return false;
  return true;
}
