import type { LiveBlock } from '../../render/screens/live_block.js';
import type { LentOptions } from './lend_to_program.js';

export interface Size {
  columns: number;
  rows: number;
}

/** Draws a whole screen of this size; its last column stays empty. */
export type ScreenDrawing = (size: Size) => LiveBlock;

/** A terminal in raw mode: finished text above, a block that changes below. */
export interface Terminal {
  size(): Size;
  /**
   * Puts finished text above the live block, where it stays: line ends within it, none at its end. The terminal wraps it.
   * It may hold colours, but no other control sequence.
   */
  append(text: string): void;
  /** Sets the block at the bottom; no more of it is shown than fits. */
  setLive(block: LiveBlock): void;
  /** Resolves when more may be appended: at once, unless the terminal is slow. */
  ready(): Promise<void>;
  /** Draws on the alternate screen until that is left; what is appended meanwhile is seen after that. */
  enterScreen(draw: ScreenDrawing): void;
  /** Draws the alternate screen again. */
  redrawScreen(): void;
  leaveScreen(): void;
  /** Draws everything again, for when another program has written over it. */
  redraw(): void;
  /** Sends a sequence that draws nothing, in order with what is drawn. */
  send(sequence: string): void;
  /** What the keyboard sends, as whole characters, with pastes between their marks. */
  onInput(listener: (text: string) => void): void;
  /** Called after every change of the size, before the live block is drawn again. */
  onResize(listener: (size: Size) => void): void;
  /** Called once when the terminal is gone, so that nothing more can be shown or typed. */
  onGone(listener: () => void): void;
  /** Gives the terminal back to the shell, as Ctrl-Z does, and takes it again with `fg`. */
  suspend(): void;
  /** Lends the terminal to a program and waits for its end; null when a signal ended it. */
  runChild(command: string, args: readonly string[], options: LentOptions): Promise<number | null>;
  /**
   * Gives the terminal back for good, with the cursor below the live block, which stays unless it is emptied before. Resolves when
   * a child that has the terminal is gone as well.
   */
  close(): Promise<void>;
}
