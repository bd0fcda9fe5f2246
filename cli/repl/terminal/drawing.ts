import type { WriteStream } from 'node:tty';
import type { Ruler } from '../../render/ruler.js';
import { createFrames } from './frames.js';
import { createListeners } from './listeners.js';
import { createMainScreen } from './main_screen.js';
import { createOutput } from './output.js';
import { createOverlay } from './overlay.js';
import type { Reflow } from './reflow.js';
import { BEGIN_FRAME, BRACKET_PASTES, END_FRAME, SHOW_CURSOR, UNBRACKET_PASTES } from './sequences.js';
import type { Size, Terminal } from './terminal.js';
import { createWaitingRoom } from './waiting_room.js';

interface DrawingParts {
  stdout: WriteStream;
  ruler: Ruler;
  reflow: Reflow;
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
  | 'onResize';

/** What a terminal shows, drawn frame by frame while the terminal is ours. */
export interface Drawing extends Pick<Terminal, Drawn> {
  /** Tells the terminal how we want it, and draws. */
  take(): void;
  /** Draws what is still to be drawn, and leaves the terminal as it was, with the cursor below. */
  release(): void;
}

/** What may wait to be appended before whoever appends is asked to wait. */
const WAITING_LENGTH_MAX = 1_000_000;
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
    sizes.tell(size());
    redraw();
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
    take: canvas.take,
    release: canvas.release,
  };
}

/** What is to be seen, and the frames that make it so. */
function createCanvas({ stdout, ruler, reflow, onGone }: DrawingParts) {
  const main = createMainScreen({ ruler, reflow });
  const overlay = createOverlay(ruler);
  const room = createWaitingRoom();
  let isTaken = false;
  const size = (): Size => ({
    columns: stdout.columns || UNKNOWN_SIZE.columns,
    rows: stdout.rows || UNKNOWN_SIZE.rows,
  });
  const isFull = (): boolean => main.waiting() >= WAITING_LENGTH_MAX;
  const write = (bytes: string): void => {
    if (bytes !== '') output.write(BEGIN_FRAME + bytes + END_FRAME);
  };
  const draw = (): void => {
    if (!isTaken || output.isBehind()) return;
    // What waits below a screen that stays open for long is let through in between.
    const isMainSeen = !overlay.isOpen() || isFull();
    write((isMainSeen ? overlay.uncover() + main.paint(size()) : '') + overlay.paint(size()));
    if (isMainSeen) room.letOn();
  };
  const frames = createFrames(draw);
  const stop = (): void => {
    isTaken = false;
    frames.cancel();
  };
  const output = createOutput(stdout, {
    onReady: frames.request,
    onGone: () => {
      stop();
      room.letOn();
      onGone();
    },
  });
  const take = (): void => {
    isTaken = true;
    main.forget(size());
    output.write(BRACKET_PASTES);
    write(main.paint(size()) + overlay.paint(size()));
  };
  const release = (): void => {
    if (!isTaken) return;
    write(overlay.uncover() + main.paint(size()));
    output.write(main.leave() + UNBRACKET_PASTES + SHOW_CURSOR);
    stop();
    room.letOn();
  };
  const ready = (): Promise<void> => (isFull() && !output.isGone() ? room.wait() : Promise.resolve());
  return { main, overlay, frames, size, ready, take, release };
}
