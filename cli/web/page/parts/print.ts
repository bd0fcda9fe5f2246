import { options } from 'preact';
import { wantNodes } from '../state/known_nodes.js';
import { path } from '../state/tree_state.js';
import { notice, PAPER_NODES, paper, view } from '../state/view_state.js';

/** Writes everything out while the page is printed. */
export function writeOutOnPaper(): void {
  addEventListener('beforeprint', () => {
    drawAtOnce(() => {
      paper.value = true;
      if (view.value !== 'compare') view.value = 'read';
    });
    // A file has its nodes at hand: they come before the browser prints.
    wantNodes(path.value, 0, PAPER_NODES).catch((error: unknown) => {
      notice.value = `Not all can be printed: ${String(error)}`;
    });
  });
  addEventListener('afterprint', () => {
    paper.value = false;
  });
}

/** A browser prints what is drawn when the event returns. */
function drawAtOnce(change: () => void): void {
  const before = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  change();
  if (before === undefined) delete options.debounceRendering;
  else options.debounceRendering = before;
}
