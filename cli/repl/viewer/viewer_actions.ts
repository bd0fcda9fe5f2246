import { count } from '../../render/text/ids_and_counts.js';
import { colonCommand } from './colon_command.js';
import { copiedText } from './path_blocks.js';
import { goToEnd, readMore } from './refresh_path.js';
import { search } from './search_path.js';
import type { ViewerAction } from './viewer_keys.js';
import { doNext, show, type ViewerState } from './viewer_state.js';
import { chosenBlock } from './viewport.js';

/** Runs actions beyond the view itself. */
export function performViewerAction(viewer: ViewerState, action: ViewerAction): void {
  const { signal } = viewer.errand;
  switch (action.kind) {
    case 'leave':
      viewer.leave({ kind: 'insert' });
      break;
    case 'copy':
      copy(viewer);
      break;
    case 'first':
      doNext(viewer, () => goToEnd(viewer, 'first'));
      break;
    case 'last':
      doNext(viewer, () => goToEnd(viewer, 'last'));
      break;
    case 'unfolded':
      doNext(viewer, () => readMore(viewer));
      break;
    case 'search':
      viewer.searches += 1;
      doNext(viewer, () => search(viewer, action, signal));
      break;
    case 'leader':
      lead(viewer, action.leader);
      break;
    case 'command':
      obey(viewer, action.text);
      break;
    case 'text':
      break;
  }
}

function obey(viewer: ViewerState, text: string): void {
  const command = colonCommand(text, viewer.parts.commands);
  if (command.kind === 'unknown') show(viewer, { ...viewer.view, word: command.word });
  else if (command.kind === 'line') viewer.leave(command);
  else lead(viewer, 'edit_plan');
}

function lead(viewer: ViewerState, action: Extract<ViewerAction, { kind: 'leader' }>['leader']): void {
  switch (action) {
    case 'clear':
    case 'execute':
      viewer.leave({ kind: 'line', line: `/${action}` });
      break;
    case 'agents':
    case 'navigator':
      viewer.leave({ kind: action });
      break;
    case 'network':
    case 'plan':
    case 'thinking':
    case 'edit_plan':
      doNext(viewer, async () => {
        const word = await viewer.parts.act(action);
        show(viewer, { ...viewer.view, word });
      });
  }
}

function copy(viewer: ViewerState): void {
  const block = chosenBlock(viewer.view);
  if (block === null) return;
  const text = copiedText(block);
  const isCopied = viewer.parts.copy(text);
  const word = isCopied ? `Copied: ${count(text.split('\n').length, 'line')}` : 'That is too much for the clipboard.';
  show(viewer, { ...viewer.view, word });
}
