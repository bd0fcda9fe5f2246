import { EXIT, exitCodeOf } from '../failure.js';
import type { Wish } from './front.js';
import { takeLine } from './lines.js';
import type { Repl } from './repl.js';
import { showFailure } from './stage.js';

/** What is typed, done one after the other. */
export interface LineQueue {
  /** Resolves when the next may be asked for. */
  take(wish: Asking): Promise<void>;
  /** Resolves when all have been done, and nothing runs. */
  idle(): Promise<void>;
  code(): number;
}

type Asking = Exclude<Wish, { kind: 'stop' } | { kind: 'leave' }>;

/** Lines that wait for the one before. */
const WAITING_MAX = 1_000;
/** What takes longer than this needs a word. */
const SLOW_MS = 1_000;

export function takeLines(repl: Repl, hasLeft: () => boolean): LineQueue {
  const { front } = repl;
  let code: number = EXIT.ok;
  let count = 0;
  let last = Promise.resolve();
  const held = new Set<Asking>();
  const failed = (error: unknown): void => {
    // Only a script has an exit code to look at.
    if (!front.attended && code === EXIT.ok) code = error === null ? EXIT.failure : exitCodeOf(error);
  };
  const tellHeld = (): void => {
    front.update({ waiting: [...held].flatMap((wish) => (wish.kind === 'line' ? [wish.text] : [])) });
  };
  const takeNext = (wish: Asking): Promise<void> => {
    if (held.delete(wish)) tellHeld();
    return tellingSlow(repl, () => take(wish, repl, failed));
  };
  return {
    async take(wish) {
      count += 1;
      // A command may go on for as long as it likes; whoever types meanwhile sees that nothing is lost.
      if (repl.shell.isRunning() && front.attended) {
        held.add(wish);
        tellHeld();
      }
      last = last.then(() => takeNext(wish)).finally(() => (count -= 1));
      if (count >= WAITING_MAX || !front.attended) await last;
    },
    async idle() {
      await last;
      await repl.conversation().turns.idle();
      // Whoever has left is asked for nothing more.
      if (hasLeft()) await new Promise(() => undefined);
    },
    code: () => code,
  };
}

async function take(wish: Asking, repl: Repl, failed: (error: unknown) => void): Promise<void> {
  if (wish.kind === 'refused') {
    failed(wish.error);
    return showFailure(repl.front, wish.error);
  }
  if (!(await takeLine(wish.text, wish.when, repl))) failed(null);
}

/** Says that something takes long, such as a hub that is away; a command that runs says so itself. */
async function tellingSlow({ front, shell }: Repl, work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    if (!shell.isRunning()) front.update({ isSlow: true });
  }, SLOW_MS);
  try {
    await work();
  } finally {
    clearTimeout(timer);
    front.update({ isSlow: false });
  }
}
