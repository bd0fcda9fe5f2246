import { errnoOf } from '../../hub/base/errno.js';
import { EXIT } from '../output/failure.js';

/** How long what is under way may take to end: then it is left to the hub. */
const END_MS_MAX = 15_000;

type Interrupt = (code: number) => void;

const leave: Interrupt = (code) => process.exit(code);
let interrupt = leave;

/** Ends the program on signals. What was begun is put away by listeners for the exit; the hub ends what it does for us. */
export function endOnSignals(): void {
  process.on('SIGINT', () => interrupt(EXIT.interrupted));
  process.on('SIGTERM', () => interrupt(EXIT.terminated));
  process.on('SIGHUP', () => interrupt(EXIT.hungUp));
}

/** A reader that has seen enough, such as `head`, is no failure; a disk that is full is one. */
export function leaveWithReader(): void {
  let isTold = false;
  process.stderr.on('error', () => (interrupt === leave ? leave(EXIT.failure) : interrupt(EXIT.readerGone)));
  process.stdout.on('error', (error) => {
    // EIO: the terminal is gone.
    const isGone = ['EPIPE', 'EIO'].includes(errnoOf(error) ?? '');
    if (!isGone && !isTold) process.stderr.write(`cognition: the output could not be written: ${error.message}\n`);
    isTold = true;
    if (interrupt === leave) leave(isGone ? EXIT.ok : EXIT.failure);
    else interrupt(isGone ? EXIT.readerGone : EXIT.failure);
  });
}

/** Hands signals over to somebody who goes on after them, until what it returns is called; without an output there is no going on. */
export function takeSignals(take: (code: number) => void): () => void {
  const taking: Interrupt = (code) => {
    if (code === EXIT.readerGone) leave(EXIT.ok);
    else if (code === EXIT.failure) leave(code);
    else take(code);
  };
  interrupt = taking;
  return () => {
    if (interrupt === taking) interrupt = leave;
  };
}

/**
 * Does something that wants to be ended in order: at the first signal, or when nobody reads the output any more, `stop`
 * is called and the work is waited for; a second signal leaves at once. Tells the exit code of what came; null for nothing.
 */
export async function interruptible<T>(
  work: () => Promise<T>,
  stop: () => void,
): Promise<{ result: T; interrupted: number | null }> {
  let interrupted: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  const before = interrupt;
  interrupt = (code) => {
    if (interrupted !== null) {
      // An output that has failed once fails at every write.
      if (code === EXIT.readerGone || code === EXIT.failure) return;
      leave(code);
    }
    interrupted = code;
    timer = setTimeout(() => leave(code), END_MS_MAX);
    stop();
  };
  try {
    return { result: await work(), interrupted };
  } finally {
    interrupt = before;
    clearTimeout(timer);
  }
}
