import type { WriteStream } from 'node:tty';
import type { Ruler } from '../../render/look/ruler.js';
import { createOverlay } from './alternate_buffer.js';
import { createWaitingRoom } from './backpressure.js';
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
  /** Null when it is to be found out. */
  reflow: Reflow | null;
  onTyped: (text: string) => void;
  onGone: () => void;
}

type Drawn =
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

/** What a terminal shows, drawn frame by frame while the terminal is ours. */
export interface Drawing extends Pick<Terminal, Drawn> {
  /** What the keyboard has sent; what of it was typed is told. */
  sent(text: string): void;
  /** Tells the terminal how we want it, and draws. */
  take(): void;
  /** Draws what is still to be drawn, and leaves the terminal as it was, with the cursor below; the block stays or goes. */
  release(block: 'stays' | 'goes'): void;
}

/**
 * What may wait to be appended before whoever appends is asked to wait. While a frame is written no key is read, and many
 * terminals show nothing of the block before its end.
 */
const WAITING_LENGTH_MAX = 50_000;
/** The same below a screen that stays open, which goes for a moment whenever that much is let through. */
const HIDDEN_LENGTH_MAX = 1_000_000;
// Terminals that do not tell their size say 0.
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
    sizes.tell(size());
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

/** What is to be seen, and the frames that make it so. */
function createCanvas({ stdout, ruler, reflow, onTyped, onGone }: DrawingParts) {
  // Until it is known, nothing is taken for ours that may not be.
  const main = createMainScreen({ ruler, reflow: reflow ?? 'none' });
  const overlay = createOverlay(ruler);
  const room = createWaitingRoom();
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
    // What waits below a screen that stays open for long is let through in between.
    const isMainSeen = !overlay.isOpen() || isFull();
    write((isMainSeen ? overlay.uncover() + main.paint(size()) : '') + overlay.paint(size()));
    if (isMainSeen) room.letOn();
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
      room.letOn();
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
    write(overlay.uncover() + main.paint(size()));
    output.write(main.leave() + UNBRACKET_PASTES + SHOW_CURSOR);
    stop();
    room.letOn();
  };
  const ready = (): Promise<void> => (isFull() && !output.isGone() ? room.wait() : Promise.resolve());
  const resized = (): void => {
    if (isTaken) asking.resized();
  };
  const { sent } = asking;
  return { main, overlay, frames, size, ready, resized, send, sent, take, release };
}

/** Where it is not known what the terminal does with rows that are too long, it is asked when this first matters. */
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
    /** The terminal is ours from now on. */
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
