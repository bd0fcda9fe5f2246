import type { Ruler } from '../../render/look/ruler.js';
import { fitBlock, type LiveBlock } from '../../render/screens/live_block.js';
import { paintScreen } from './screen_painter.js';
import { ENTER_ALTERNATE, LEAVE_ALTERNATE } from './sequences.js';
import type { ScreenDrawing, Size } from './terminal.js';

/** A whole screen over the main one, on the terminal's alternate screen. */
export interface Overlay {
  isOpen(): boolean;
  open(draw: ScreenDrawing): void;
  close(): void;
  /** What to write so that it is seen as it is drawn now; nothing while it is closed. */
  paint(size: Size): string;
  /** What to write so that the main screen is seen, whether or not it is painted again later. */
  uncover(): string;
  /** Nothing is known of what the screen shows. */
  forget(): void;
}

export function createOverlay(ruler: Ruler): Overlay {
  let draw: ScreenDrawing | null = null;
  let shown: LiveBlock | null = null;
  let isSeen = false;
  return {
    isOpen: () => draw !== null,
    open(drawing) {
      draw = drawing;
    },
    close() {
      draw = null;
    },
    paint(size) {
      if (draw === null) return '';
      const next = fitBlock(draw(size), { columns: size.columns - 1, rows: size.rows }, ruler);
      const bytes = paintScreen(shown, next);
      const enter = isSeen ? '' : ENTER_ALTERNATE;
      shown = next;
      isSeen = true;
      return enter + bytes;
    },
    uncover() {
      const bytes = isSeen ? LEAVE_ALTERNATE : '';
      isSeen = false;
      shown = null;
      return bytes;
    },
    forget() {
      shown = null;
    },
  };
}
