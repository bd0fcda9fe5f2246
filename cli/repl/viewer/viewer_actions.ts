import { count } from '../../render/text/ids_and_counts.js';
import { colonCommand } from './colon_command.js';
import { copiedText } from './path_blocks.js';
import { goToEnd, readMore } from './refresh_path.js';
import { search } from './search_path.js';
import type { ViewerAction } from './viewer_keys.js';
import { doNext, show, type ViewerState } from './viewer_state.js';
import { chosenBlock } from './viewport.js';

/** Does what the view cannot do by itself. */
export function performViewerAction(desk: ViewerState, wish: ViewerAction): void {
  const { signal } = desk.errand;
  switch (wish.kind) {
    case 'leave':
      desk.leave({ kind: 'insert' });
      break;
    case 'copy':
      copy(desk);
      break;
    case 'first':
      doNext(desk, () => goToEnd(desk, 'first'));
      break;
    case 'last':
      doNext(desk, () => goToEnd(desk, 'last'));
      break;
    case 'unfolded':
      doNext(desk, () => readMore(desk));
      break;
    case 'search':
      desk.searches += 1;
      doNext(desk, () => search(desk, wish, signal));
      break;
    case 'leader':
      lead(desk, wish.wish);
      break;
    case 'command':
      obey(desk, wish.text);
  }
}

function obey(desk: ViewerState, text: string): void {
  const command = colonCommand(text, desk.parts.commands);
  if (command.kind === 'unknown') show(desk, { ...desk.view, word: command.word });
  else if (command.kind === 'line') desk.leave(command);
  else lead(desk, 'edit_plan');
}

function lead(desk: ViewerState, wish: Extract<ViewerAction, { kind: 'leader' }>['wish']): void {
  switch (wish) {
    case 'clear':
    case 'execute':
      desk.leave({ kind: 'line', line: `/${wish}` });
      break;
    case 'agents':
    case 'navigator':
      desk.leave({ kind: wish });
      break;
    case 'network':
    case 'plan':
    case 'edit_plan':
      doNext(desk, async () => {
        const word = await desk.parts.act(wish);
        show(desk, { ...desk.view, word });
      });
  }
}

function copy(desk: ViewerState): void {
  const block = chosenBlock(desk.view);
  if (block === null) return;
  const text = copiedText(block);
  const isCopied = desk.parts.copy(text);
  const word = isCopied ? `Copied: ${count(text.split('\n').length, 'line')}` : 'That is too much for the clipboard.';
  show(desk, { ...desk.view, word });
}
