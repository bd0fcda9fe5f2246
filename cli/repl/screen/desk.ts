import type { Look } from '../../render/look.js';
import type { Content } from '../editor/buffer.js';
import type { Completion } from '../editor/completion/menu.js';
import { drawingOf } from '../editor/drawing.js';
import type { Status, Wish } from '../front.js';
import type { Mailbox } from '../mailbox.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Alternate } from './alternate.js';
import type { Drafts } from './drafts.js';
import type { HeavyDrawing } from './drawing.js';
import type { EditorInput } from './input.js';
import { liveBlock } from './live.js';
import type { Permission } from './permission.js';
import type { Standing } from './standing.js';
import type { ScreenTranscript } from './transcript.js';

export interface ScreenParts {
  terminal: Terminal;
  home: string;
  /** How to draw in so many columns at this moment. */
  look: (columns: number) => Look;
  history: readonly Content[];
  completion: Completion;
  /** Resolves when answers and changes can be drawn. */
  drawing: Promise<HeavyDrawing>;
  nowMs: () => number;
}

const TICK_MS = 1_000;
const PLACEHOLDER = 'Say something, or /help';

/** What everything on the screen shares. */
export interface ScreenDesk {
  parts: ScreenParts;
  transcript: ScreenTranscript;
  input: EditorInput;
  drafts: Drafts;
  wishes: Mailbox<Wish>;
  /** What is shown on the alternate screen. */
  alternate: Alternate;
  permission: Permission;
  status: Status;
  hint: string | null;
  interruptedMs: number;
  turnSinceMs: number;
  timer: NodeJS.Timeout | undefined;
  /** Null before there is a conversation. */
  standing: Standing | null;
}

export function draw(desk: ScreenDesk): void {
  const { terminal, nowMs } = desk.parts;
  const { columns, rows } = terminal.size();
  const look = desk.parts.look(columns);
  const editor = drawingOf(desk.input.state(), PLACEHOLDER);
  const live = {
    rows: desk.transcript.live(nowMs()),
    editor,
    status: desk.status,
    hint: desk.hint,
    mayPermit: desk.permission.isReady(),
    elapsedMs: nowMs() - desk.turnSinceMs,
  };
  terminal.setLive(liveBlock(live, look, rows));
  tick(desk);
}

/** A timer runs only while something is shown that time changes. */
function tick(desk: ScreenDesk): void {
  if (isBusy(desk)) desk.timer ??= setInterval(() => draw(desk), TICK_MS);
  else {
    clearInterval(desk.timer);
    desk.timer = undefined;
  }
}

export function hint(desk: ScreenDesk, text: string): void {
  desk.hint = text;
  draw(desk);
}

export function isBusy({ status, transcript }: ScreenDesk): boolean {
  return status.turn !== null || transcript.isTimed();
}
