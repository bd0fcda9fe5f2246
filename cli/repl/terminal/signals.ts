/** What is done when the process is told something from outside. */
interface Told {
  /** The process is about to end, whatever the reason: the terminal is to be as it was. */
  leave: () => void;
  /** It is to stop, until it is told to go on. */
  stop: () => void;
  /** It goes on after it was stopped without a word. */
  goOn: () => void;
}

const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** Listens for every way out but SIGKILL; the returned function ends that. */
export function listenForSignals({ leave, stop, goOn }: Told): () => void {
  const enders = ENDING.map((signal) => [signal, () => endBy(signal)] as const);
  // Whoever else listens decides how the process ends; with nobody else it ends as it would have without us.
  const endBy = (signal: NodeJS.Signals): void => {
    leave();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  for (const [signal, end] of enders) process.prependListener(signal, end);
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', goOn);
  process.on('exit', leave);
  // Before the error is printed, which is to be read on a terminal in order.
  process.on('uncaughtExceptionMonitor', leave);
  return () => {
    for (const [signal, end] of enders) process.removeListener(signal, end);
    process.removeListener('SIGTSTP', stop);
    process.removeListener('SIGCONT', goOn);
    process.removeListener('exit', leave);
    process.removeListener('uncaughtExceptionMonitor', leave);
  };
}

/** Runs something during which Ctrl-C belongs to a child: it reaches us as well, but says nothing to us. */
export async function withoutInterrupts<T>(run: () => Promise<T>): Promise<T> {
  const deaf = (): void => undefined;
  const kept = (['SIGINT', 'SIGQUIT'] as const).map((signal) => ({ signal, listeners: process.listeners(signal) }));
  for (const { signal } of kept) process.removeAllListeners(signal).on(signal, deaf);
  try {
    return await run();
  } finally {
    for (const { signal, listeners } of kept) {
      process.removeListener(signal, deaf);
      for (const listener of listeners) process.on(signal, listener);
    }
  }
}
