import type { WriteStream } from 'node:tty';
import type { Ruler } from '../../render/look/ruler.js';
import { createOverlay, type Overlay } from './alternate_buffer.js';
import { createBackpressure } from './backpressure.js';
import { createFrames, type Frames } from './frames.js';
import { createListeners } from './listeners.js';
import { createMainScreen, type MainScreen } from './main_screen.js';
import { createNameQuestion } from './name_question.js';
import type { Reflow } from './reflow.js';
import { BEGIN_FRAME, BRACKET_PASTES, END_FRAME, SHOW_CURSOR, UNBRACKET_PASTES } from './sequences.js';
import type { Size, Terminal } from './terminal.js';
import { reflowOfName } from './terminal_names.js';
import { createOutput } from './terminal_output.js';

interface DrawingParts {
  stdout: WriteStream;
  ruler: Ruler;
  /** Null while it is unknown. */
  reflow: Reflow | null;
  onTyped: (text: string) => void;
  onGone: () => void;
}

type DrawingMethod =
  | 'size'
  | 'append'
  | 'setLive'
  | 'ready'
  | 'enterScreen'
  | 'redrawScreen'
  | 'leaveScreen'
  | 'redraw'
  | 'send'
  | 'onResize';

/** What a terminal shows, drawn in frames. */
export interface Drawing extends Pick<Terminal, DrawingMethod> {
  /** Takes what the keyboard sent; what a person typed goes to `onTyped`. */
  sent(text: string): void;
  /** Sets the terminal's modes, and draws. */
  take(): void;
  /** Draws what is pending, and restores the terminal with the cursor below; the block stays or goes. */
  release(block: 'stays' | 'goes'): void;
}

/**
 * The length of text that may wait to be appended before `ready` makes callers wait. While a frame is written no key is read,
 * and many terminals show nothing of the block before its end.
 */
const WAITING_LENGTH_MAX = 50_000;
/** The same while an overlay is open, which is left for a moment to append that much. */
const HIDDEN_LENGTH_MAX = 1_000_000;
// Some terminals report their size as 0.
const UNKNOWN_SIZE: Size = { columns: 80, rows: 24 };

export function createDrawing(parts: DrawingParts): Drawing {
  const canvas = createCanvas(parts);
  const { main, overlay, frames, size } = canvas;
  const sizes = createListeners<Size>();
  const redraw = (): void => {
    overlay.forget();
    main.forgetRows();
    frames.request();
  };
  parts.stdout.on('resize', () => {
    canvas.resized();
    sizes.emit(size());
    overlay.forget();
    main.forgetRows();
    frames.hold();
  });
  return {
    size,
    onResize: sizes.add,
    append(text) {
      main.append(text);
      frames.request();
    },
    setLive(block) {
      main.setLive(block);
      if (!overlay.isOpen()) frames.request();
    },
    ready: canvas.ready,
    enterScreen(draw) {
      overlay.open(draw);
      frames.request();
    },
    redrawScreen: frames.request,
    leaveScreen() {
      overlay.close();
      frames.request();
    },
    redraw,
    send: canvas.send,
    sent: canvas.sent,
    take: canvas.take,
    release: canvas.release,
  };
}

/** The main screen, the overlay, and the frames that draw them. */
function createCanvas({ stdout, ruler, reflow, onTyped, onGone }: DrawingParts) {
  // While it is unknown, no row is overwritten that may not belong to the block.
  const main = createMainScreen({ ruler, reflow: reflow ?? 'none' });
  const overlay = createOverlay(ruler);
  const backpressure = createBackpressure();
  let isTaken = false;
  const size = (): Size => ({
    columns: stdout.columns || UNKNOWN_SIZE.columns,
    rows: stdout.rows || UNKNOWN_SIZE.rows,
  });
  const isFull = (): boolean => main.waiting() >= (overlay.isOpen() ? HIDDEN_LENGTH_MAX : WAITING_LENGTH_MAX);
  const write = (bytes: string): void => {
    if (bytes !== '') output.write(BEGIN_FRAME + bytes + END_FRAME);
  };
  const draw = (): void => {
    if (!isTaken || output.isBehind() || asking.question.isOpen()) return;
    // Too much text waiting below an open overlay is appended in between.
    const isMainSeen = !overlay.isOpen() || isFull();
    write((isMainSeen ? uncovered({ main, overlay, size }) : '') + overlay.paint(size()));
    if (isMainSeen) backpressure.release();
  };
  const frames = createFrames(draw);
  const stop = (): void => {
    isTaken = false;
    frames.cancel();
    asking.question.close();
  };
  const output = createOutput(stdout, {
    onReady: frames.request,
    onGone: () => {
      stop();
      backpressure.release();
      onGone();
    },
  });
  const asking = askWhenNarrower({ reflow, onTyped, write: (bytes) => output.write(bytes) }, { main, frames, size });
  const send = (sequence: string): void => {
    if (isTaken) output.write(sequence);
  };
  const take = (): void => {
    isTaken = true;
    main.hideLive(false);
    asking.begin();
    main.forget(size());
    output.write(BRACKET_PASTES);
    write(main.paint(size()) + overlay.paint(size()));
  };
  const release: Drawing['release'] = (block) => {
    if (!isTaken) return;
    main.hideLive(block === 'goes');
    write(uncovered({ main, overlay, size }));
    output.write(main.leave() + UNBRACKET_PASTES + SHOW_CURSOR);
    stop();
    backpressure.release();
  };
  const ready = (): Promise<void> => (isFull() && !output.isGone() ? backpressure.wait() : Promise.resolve());
  const resized = (): void => {
    if (isTaken) asking.resized();
  };
  const { sent } = asking;
  return { main, overlay, frames, size, ready, resized, send, sent, take, release };
}

/** The bytes that show the main screen, all of its block where something was drawn over it. */
function uncovered({ main, overlay, size }: { main: MainScreen; overlay: Overlay; size: () => Size }): string {
  const bytes = overlay.uncover();
  if (bytes !== '') main.forgetRows();
  return bytes + main.paint(size());
}

/** Asks the terminal for its name when its way to reflow is unknown and first matters. */
function askWhenNarrower(
  { reflow, onTyped, write }: Pick<DrawingParts, 'reflow' | 'onTyped'> & { write: (bytes: string) => void },
  { main, frames, size }: { main: MainScreen; frames: Frames; size: () => Size },
) {
  let columns = 0;
  const question = createNameQuestion({
    ...{ write, typed: onTyped, over: frames.request },
    answered: (name) => main.setReflow(reflowOfName(name)),
  });
  return {
    question,
    /** The terminal has been taken. */
    begin() {
      columns = size().columns;
    },
    resized() {
      main.resized(size(), performance.now());
      if (reflow === null && size().columns < columns) question.ask();
      columns = size().columns;
    },
    sent(text: string) {
      const typed = question.take(text);
      if (typed !== '') onTyped(typed);
    },
  };
}
