import type { SpawnOptions } from 'node:child_process';
import type { LiveBlock } from '../../render/screens/live_block.js';

export interface Size {
  columns: number;
  rows: number;
}

/** Draws a whole screen of this size; its last column stays empty. */
export type ScreenDrawing = (size: Size) => LiveBlock;

/** The terminal, while it is ours: finished text above, a block that changes below. */
export interface Terminal {
  size(): Size;
  /**
   * Puts finished text above the live block, where it stays: line ends within it, none at its end. The terminal wraps it.
   * It may hold colours; whatever else a terminal acts on has to be cleaned away before.
   */
  append(text: string): void;
  /** What stands at the bottom from now on; no more of it is shown than fits. */
  setLive(block: LiveBlock): void;
  /** Resolves when more may be appended: at once, unless the terminal is slower than we are. */
  ready(): Promise<void>;
  /** Draws a whole screen of its own until it is left; what is appended meanwhile is seen after that. */
  enterScreen(draw: ScreenDrawing): void;
  /** Draws that screen again. */
  redrawScreen(): void;
  leaveScreen(): void;
  /** Draws everything of ours anew, for when something else has written over it. */
  redraw(): void;
  /** Sends something that draws nothing, after what is drawn by then and before what follows. */
  send(sequence: string): void;
  /** What the keyboard sends, as whole characters, with pastes between their marks. */
  onInput(listener: (text: string) => void): void;
  /** Told after every change of the size; the live block as it was is drawn again after that. */
  onResize(listener: (size: Size) => void): void;
  /** Told once when the terminal is gone, so that nothing more can be shown or typed. */
  onGone(listener: () => void): void;
  /** Gives the terminal back to the shell, as Ctrl-Z does, and takes it again with `fg`. */
  suspend(): void;
  /** Lends the terminal to a program and waits for its end; null when a signal ended it. */
  runChild(command: string, args: readonly string[], options: SpawnOptions): Promise<number | null>;
  /**
   * Gives the terminal back for good, with the cursor below the live block, which stays unless it is emptied before. Resolves when
   * a program that it was lent to is gone as well.
   */
  close(): Promise<void>;
}
