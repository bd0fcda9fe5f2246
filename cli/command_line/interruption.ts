import { errnoOf } from '../../hub/base/errno.js';
import { EXIT } from '../output/failure.js';

/** How long work may take to stop after a signal; then the process leaves it to the hub. */
const END_MS_MAX = 15_000;

type Interrupt = (code: number) => void;

const leave: Interrupt = (code) => process.exit(code);
let interrupt = leave;

/** Ends the program on signals. Exit listeners remove temporary files; the hub ends what it does for this connection. */
export function endOnSignals(): void {
  process.on('SIGINT', () => interrupt(EXIT.interrupted));
  process.on('SIGTERM', () => interrupt(EXIT.terminated));
  process.on('SIGHUP', () => interrupt(EXIT.hungUp));
}

/** Ends the program when its output cannot be written: with success after a closed pipe, such as `| head`, else with failure. */
export function leaveWithReader(): void {
  let isReported = false;
  process.stderr.on('error', () => (interrupt === leave ? leave(EXIT.failure) : interrupt(EXIT.readerGone)));
  process.stdout.on('error', (error) => {
    // EIO: the terminal is gone.
    const isGone = ['EPIPE', 'EIO'].includes(errnoOf(error) ?? '');
    if (!isGone && !isReported) process.stderr.write(`cognition: the output could not be written: ${error.message}\n`);
    isReported = true;
    if (interrupt === leave) leave(isGone ? EXIT.ok : EXIT.failure);
    else interrupt(isGone ? EXIT.readerGone : EXIT.failure);
  });
}

/** Hands signals to a handler that may continue after them, until the returned function is called. A lost output still ends the program. */
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
 * Runs work that must be stopped in order: at the first signal, or when the output's reader has gone, it calls `stop` and
 * awaits the work; a second signal exits at once. `interrupted` is the exit code of that signal; null without one.
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
