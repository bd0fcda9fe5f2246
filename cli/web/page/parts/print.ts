import { options } from 'preact';
import { paper, view } from '../state/view_state.js';

/** Writes everything out while the page is printed. */
export function writeOutOnPaper(): void {
  addEventListener('beforeprint', () => {
    drawAtOnce(() => {
      paper.value = true;
      if (view.value !== 'compare') view.value = 'read';
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
