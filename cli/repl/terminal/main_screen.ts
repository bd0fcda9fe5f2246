import type { Ruler } from '../../render/look/ruler.js';
import { fitBlock, type LiveBlock, NO_BLOCK } from '../../render/screens/live_block.js';
import { type DrawnBlock, leaveBlock, nothingDrawn, paintBlock } from './block_painter.js';
import { type Reflow, rowsAboveCursor } from './reflow.js';
import { createPace } from './resize_pace.js';
import type { Size } from './terminal.js';

/** The transcript and the live block below it: what is wanted, and what of it is already on the screen. */
export interface MainScreen {
  append(text: string): void;
  /** How many characters wait to be appended. */
  waiting(): number;
  setLive(block: LiveBlock): void;
  /** Whether the block is taken away while the terminal is somebody else's: it is drawn again after that. */
  hideLive(isHidden: boolean): void;
  /** The size of the terminal has changed, once or several times. */
  resized(size: Size, nowMs: number): void;
  /** What the terminal does with rows that are too long has become known. */
  setReflow(reflow: Reflow): void;
  /** What to write so that the screen is as wanted. */
  paint(size: Size): string;
  /** What to write to leave the block behind, with the cursor below it. */
  leave(): string;
  /** The cursor stands in an empty row, and nothing of ours is to be drawn over. */
  forget(size: Size): void;
  /** What the rows of the block show is not known; where they are is. */
  forgetRows(): void;
}

/** Rows that a live block leaves to the transcript. */
const ROWS_LEFT = 2;
export function createMainScreen({ ruler, reflow: known }: { ruler: Ruler; reflow: Reflow }): MainScreen {
  let reflow = known;
  const pace = createPace();
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
    setReflow(learnt) {
      reflow = learnt;
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
      pace.seen();
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
