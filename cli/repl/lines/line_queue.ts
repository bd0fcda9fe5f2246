import { exitCodeOf } from '../../output/failure.js';
import { showFailure } from '../conversation/conversation_parts.js';
import type { FrontAction } from '../front/front.js';
import type { Repl } from '../repl.js';
import { takeLine } from './take_line.js';

/** Runs typed lines one after the other. */
export interface LineQueue {
  /** Resolves when the next line may be read. */
  take(action: Asking): Promise<void>;
  /** Resolves when the last line is done, or is a shell command that has started: from then on it can be stopped. */
  underWay(): Promise<void>;
  /** Resolves when all lines are done and no turn runs. */
  idle(): Promise<void>;
  /** Takes back the lines that have not begun. */
  takeBack(): string[];
  /** Resolves when the lines typed before leaving are done; those that take too long are given back. */
  leave(): Promise<void>;
}

type Asking = Exclude<FrontAction, { kind: 'stop' | 'take_back' } | { kind: 'leave' }>;

/** How many lines may wait. */
const WAITING_MAX = 1_000;
/** A line that takes longer is shown as slow. */
const SLOW_MS = 1_000;
/** How long the first line waits for the header above it. */
const OPENING_MS_MAX = 3_000;
/** How long leaving waits for typed lines. */
const LEAVING_MS_MAX = 2_000;

/** Whether the person left, and the header that precedes the first line. */
interface Surroundings {
  hasLeft(): boolean;
  opened: Promise<void>;
}

export function takeLines(repl: Repl, { hasLeft, opened }: Surroundings): LineQueue {
  const { front, shell } = repl;
  let last = Promise.resolve();
  const isOpened = inTime(opened, OPENING_MS_MAX);
  let current: Asking | null = null;
  let isSlow = false;
  /** Unfinished lines, the current one first. */
  const undone = new Set<Asking>();
  const tellWaiting = (): void => {
    const isSeen = (action: Asking): boolean => action !== current || (isSlow && !isEchoed(action));
    const shown = isSlow || shell.isRunning() ? [...undone].filter(isSeen) : [];
    front.update({ isSlow, waiting: shown.flatMap((action) => (action.kind === 'line' ? [action.text] : [])) });
  };
  const takeNext = async (action: Asking): Promise<void> => {
    // It was taken back.
    if (!undone.has(action)) return;
    current = action;
    // Report slowness, as of a hub that is away; a running command shows itself.
    const timer = setTimeout(() => {
      isSlow = !shell.isRunning();
      tellWaiting();
    }, SLOW_MS);
    try {
      await isOpened;
      await take(action, repl);
    } finally {
      clearTimeout(timer);
      undone.delete(action);
      current = null;
      isSlow = false;
      tellWaiting();
    }
  };
  const underWay = (): Promise<void> => Promise.race([last, shell.begun()]);
  return {
    async take(action) {
      undone.add(action);
      last = last.then(() => takeNext(action));
      // A command may run without limit; who types meanwhile sees the lines that wait.
      if (front.attended && current !== null) tellWaiting();
      if (undone.size >= WAITING_MAX) await last;
    },
    underWay,
    async idle() {
      await last;
      await repl.conversation().turns.idle();
      // After leaving, no further line is read.
      if (hasLeft()) await new Promise(() => undefined);
    },
    takeBack() {
      const waiting = [...undone].filter((action) => action !== current);
      for (const action of waiting) undone.delete(action);
      tellWaiting();
      return waiting.flatMap((action) => (action.kind === 'line' ? [action.text] : []));
    },
    async leave() {
      await inTime(underWay(), LEAVING_MS_MAX);
      const left = [...undone].filter((action) => !(action === current && shell.isRunning()));
      // Each is put before the text in the editor.
      for (const action of left.reverse()) if (action.kind === 'line') await front.giveBack(action.text);
    },
  };
}

async function inTime(done: Promise<void>, msMax: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}

/** Whether the line is echoed above already: commands are. */
function isEchoed(action: Asking): boolean {
  return action.kind === 'line' && /^\s*[/!]/.test(action.text);
}

async function take(action: Asking, repl: Repl): Promise<void> {
  if (action.kind === 'line') return takeLine(action.text, action.when, repl);
  repl.verdict.failed(exitCodeOf(action.error));
  await showFailure(repl.front, action.error);
}
