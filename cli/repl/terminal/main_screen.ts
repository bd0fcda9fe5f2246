import type { Ruler } from '../../render/look/ruler.js';
import { fitBlock, type LiveBlock, NO_BLOCK } from '../../render/screens/live_block.js';
import { type DrawnBlock, leaveBlock, nothingDrawn, paintBlock } from './block_painter.js';
import { type Reflow, rowsAboveCursor } from './reflow.js';
import { createResizePace } from './resize_pace.js';
import type { Size } from './terminal.js';

/** The chat output and the live block below it: what is to be shown, and what of it is already on the screen. */
export interface MainScreen {
  append(text: string): void;
  /** How many characters wait to be appended. */
  waiting(): number;
  setLive(block: LiveBlock): void;
  /** Hides the block while another program has the terminal. */
  hideLive(isHidden: boolean): void;
  /** The size of the terminal has changed, once or several times. */
  resized(size: Size, nowMs: number): void;

  setReflow(reflow: Reflow): void;
  /** The bytes that bring the screen up to date. */
  paint(size: Size): string;
  /** The bytes that leave the block behind, with the cursor below it. */
  leave(): string;
  /** The cursor is in an empty row, and nothing above it may be drawn over. */
  forget(size: Size): void;
  /** The content of the block's rows is not known; their position is. */
  forgetRows(): void;
}

/** Rows that the live block leaves to the chat output. */
const ROWS_LEFT = 2;
export function createMainScreen({ ruler, reflow: initialReflow }: { ruler: Ruler; reflow: Reflow }): MainScreen {
  let reflow = initialReflow;
  const pace = createResizePace();
  let appended: string[] = [];
  let waiting = 0;
  let live: LiveBlock = NO_BLOCK;
  let drawn: DrawnBlock | null = null;
  let isWhole = false;
  let isHidden = false;
  return {
    append(text) {
      appended.push(text);
      waiting += text.length;
    },
    waiting: () => waiting,
    setLive(block) {
      live = block;
    },
    hideLive(hidden) {
      isHidden = hidden;
    },
    resized: pace.resized,
    setReflow(next) {
      reflow = next;
    },
    paint(size) {
      const before = drawn ?? nothingDrawn(size);
      const painted = paintBlock({
        drawn: before,
        rowsAbove: rowsAboveCursor(before, size, { reflow, ruler, pace: pace.now() }),
        appended: appended.length === 0 ? null : appended.join('\n'),
        isWhole,
        next: fitBlock(
          isHidden ? NO_BLOCK : live,
          { columns: size.columns - 1, rows: Math.max(1, size.rows - ROWS_LEFT) },
          ruler,
        ),
        size,
      });
      appended = [];
      waiting = 0;
      drawn = painted.drawn;
      isWhole = false;
      pace.reset();
      return painted.bytes;
    },
    leave() {
      const bytes = drawn === null ? '' : leaveBlock(drawn);
      drawn = null;
      return bytes;
    },
    forget(size) {
      drawn = nothingDrawn(size);
    },
    forgetRows() {
      isWhole = true;
    },
  };
}
