import { exitCodeOf } from '../../output/failure.js';
import { showFailure } from '../conversation/conversation_parts.js';
import type { FrontAction } from '../front/front.js';
import type { Repl } from '../repl.js';
import { takeLine } from './take_line.js';

/** What is typed, done one after the other. */
export interface LineQueue {
  /** Resolves when the next may be asked for. */
  take(action: Asking): Promise<void>;
  /** Resolves when the last one is done, or is a command that runs: there is something to end, if there ever is. */
  underWay(): Promise<void>;
  /** Resolves when all have been done, and nothing runs. */
  idle(): Promise<void>;
  /** Resolves when what was typed before leaving is done; what takes too long goes back to where it was typed. */
  leave(): Promise<void>;
}

type Asking = Exclude<FrontAction, { kind: 'stop' } | { kind: 'leave' }>;

/** Lines that wait for the one before. */
const WAITING_MAX = 1_000;
/** What takes longer than this needs a word. */
const SLOW_MS = 1_000;
/** How long the first line waits for the words that stand above it. */
const OPENING_MS_MAX = 3_000;
/** How long somebody who leaves waits for what they have typed. */
const LEAVING_MS_MAX = 2_000;

/** What ends the lines, and what stands above the first one. */
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
  /** What is not done yet, the current one first. */
  const undone = new Set<Asking>();
  const tellWaiting = (): void => {
    const isSeen = (action: Asking): boolean => action !== current || (isSlow && !isEchoed(action));
    const shown = isSlow || shell.isRunning() ? [...undone].filter(isSeen) : [];
    front.update({ isSlow, waiting: shown.flatMap((action) => (action.kind === 'line' ? [action.text] : [])) });
  };
  const takeNext = async (action: Asking): Promise<void> => {
    current = action;
    // Something that takes long needs a word, such as a hub that is away; a command that runs says so itself.
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
      // A command may go on for as long as it likes; whoever types meanwhile sees that nothing is lost.
      if (front.attended && current !== null) tellWaiting();
      if (undone.size >= WAITING_MAX) await last;
    },
    underWay,
    async idle() {
      await last;
      await repl.conversation().turns.idle();
      // Whoever has left is asked for nothing more.
      if (hasLeft()) await new Promise(() => undefined);
    },
    async leave() {
      await inTime(underWay(), LEAVING_MS_MAX);
      const left = [...undone].filter((action) => !(action === current && shell.isRunning()));
      // Each is put before what is written.
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

/** A command stands above already. */
function isEchoed(action: Asking): boolean {
  return action.kind === 'line' && /^\s*[/!]/.test(action.text);
}

async function take(action: Asking, repl: Repl): Promise<void> {
  if (action.kind === 'line') return takeLine(action.text, action.when, repl);
  repl.verdict.failed(exitCodeOf(action.error));
  await showFailure(repl.front, action.error);
}
