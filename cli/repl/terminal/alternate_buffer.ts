import type { Ruler } from '../../render/look/ruler.js';
import { fitBlock, type LiveBlock } from '../../render/screens/live_block.js';
import { paintScreen } from './screen_painter.js';
import { CLEAR_SCREEN, ENTER_ALTERNATE, LEAVE_ALTERNATE } from './sequences.js';
import type { ScreenDrawing, Size } from './terminal.js';

/** A whole screen over the main one, on the terminal's alternate screen. */
export interface Overlay {
  isOpen(): boolean;
  open(draw: ScreenDrawing): void;
  close(): void;
  /** The bytes that show it as it is drawn now; none while it is closed. */
  paint(size: Size): string;
  /** The bytes that show the main screen, which is to be drawn anew after them; none when it is seen. */
  uncover(): string;
  /** Forgets what the screen shows, so that all of it is painted next. */
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
      // A terminal without an alternate screen, such as GNU screen as it comes, has drawn it over the main one.
      const bytes = isSeen ? CLEAR_SCREEN + LEAVE_ALTERNATE : '';
      isSeen = false;
      shown = null;
      return bytes;
    },
    forget() {
      shown = null;
    },
  };
}
