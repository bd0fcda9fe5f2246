import type { Look } from '../../render/look/look.js';
import type { Completion } from '../editor/completion/menu.js';
import { drawingOf } from '../editor/editor_drawing.js';
import type { Content } from '../editor/state/buffer.js';
import type { AttentionOptions } from '../front/attention.js';
import type { FrontAction, Status } from '../front/front.js';
import type { WaitingItems } from '../front/waiting_items.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Alternate } from './alternate_screen.js';
import type { ChatOutput } from './chat_output.js';
import type { Drafts } from './drafts.js';
import type { EditorInput } from './editor_input.js';
import type { HeavyDrawing } from './lazy_renderers.js';
import type { Permission } from './permission_keys.js';
import type { StatusRefresh } from './refresh_status.js';
import { liveBlock } from './screen_bottom.js';

export interface ScreenParts {
  terminal: Terminal;
  home: string;
  /** The current look for a width. */
  look: (columns: number) => Look;
  history: readonly Content[];
  completion: Completion;
  /** Resolves when answers and changes can be drawn. */
  drawing: Promise<HeavyDrawing>;
  attention: AttentionOptions;
  /** The command of the person's pager. */
  pager: string;
  /** Whether prose breaks between words. */
  isInWords: boolean;
  /** Whether the terminal brackets pastes. */
  marksPastes: boolean;
  nowMs: () => number;
}

const TICK_MS = 1_000;
const PLACEHOLDER = 'Say something, or /help';
const ANSWER_PLACEHOLDER = 'Say your answer, or its number';

/** The shared state of the screen. */
export interface ScreenState {
  parts: ScreenParts;
  output: ChatOutput;
  input: EditorInput;
  drafts: Drafts;
  actions: WaitingItems<FrontAction>;
  /** The alternate screen: viewer, navigator or agents. */
  alternate: Alternate;
  permission: Permission;
  status: Status;
  hint: string | null;
  interruptedMs: number;
  turnSinceMs: number;
  /** Whether the message is open in the person's own editor. */
  isOutside: boolean;
  timer: NodeJS.Timeout | undefined;
  /** The editor's text when the last line was queued: what differs was typed since. */
  leftAtLine: string;
  /** Whether the open tree exists. */
  isMade: () => boolean;
  /** Null before there is a conversation. */
  statusRefresh: StatusRefresh | null;
}

/** Computes nothing while the alternate screen covers the chat: that is drawn once, when it is visible again. */
export function draw(screen: ScreenState): void {
  tick(screen);
  if (screen.alternate.isShown()) return;
  const { terminal, nowMs } = screen.parts;
  const { columns, rows } = terminal.size();
  const look = screen.parts.look(columns);
  const isQuestion = screen.status.asks === 'question';
  const editor = drawingOf(screen.input.state(), isQuestion ? ANSWER_PLACEHOLDER : PLACEHOLDER);
  const live = {
    rows: screen.output.live(nowMs()),
    editor,
    status: screen.status,
    hint: screen.hint,
    mayPermit: screen.permission.isReady(),
    elapsedMs: nowMs() - screen.turnSinceMs,
    nowMs: nowMs(),
  };
  terminal.setLive(liveBlock(live, look, rows));
}

/** Runs a timer only while something on the screen changes with time. */
function tick(screen: ScreenState): void {
  if (isBusy(screen)) screen.timer ??= setInterval(() => draw(screen), TICK_MS);
  else {
    clearInterval(screen.timer);
    screen.timer = undefined;
  }
}

export function hint(screen: ScreenState, text: string): void {
  screen.hint = text;
  draw(screen);
}

/** Queues a line; false when the queue is full. */
export function putLine(screen: ScreenState, text: string, when: 'now' | 'after'): boolean {
  screen.leftAtLine = screen.input.state().buffer.text;
  return screen.actions.put({ kind: 'line', text, when });
}

export function isBusy({ status, output }: ScreenState): boolean {
  return status.turn !== null || output.isTimed();
}
