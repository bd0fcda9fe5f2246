interface SignalHandlers {
  /** The process is about to end, whatever the reason: restores the terminal. */
  leave: () => void;
  /** SIGTSTP. */
  stop: () => void;
  /** SIGCONT, perhaps after a SIGSTOP, which cannot be caught. */
  goOn: () => void;
}

const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** Listens for every way out but SIGKILL; returns the function that stops listening. */
export function listenForSignals({ leave, stop, goOn }: SignalHandlers): () => void {
  const enders = ENDING.map((signal) => [signal, () => endBy(signal)] as const);
  // Another listener decides how the process ends; without one it ends by the signal.
  const endBy = (signal: NodeJS.Signals): void => {
    leave();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  for (const [signal, end] of enders) process.prependListener(signal, end);
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', goOn);
  process.on('exit', leave);
  // Before the error is printed, so that it can be read on a restored terminal.
  process.on('uncaughtExceptionMonitor', leave);
  return () => {
    for (const [signal, end] of enders) process.removeListener(signal, end);
    process.removeListener('SIGTSTP', stop);
    process.removeListener('SIGCONT', goOn);
    process.removeListener('exit', leave);
    process.removeListener('uncaughtExceptionMonitor', leave);
  };
}

/** Ignores Ctrl-C, which reaches this process as well, while a child has the terminal. */
export async function withoutInterrupts<T>(run: () => Promise<T>): Promise<T> {
  const ignore = (): void => undefined;
  const saved = (['SIGINT', 'SIGQUIT'] as const).map((signal) => ({ signal, listeners: process.listeners(signal) }));
  for (const { signal } of saved) process.removeAllListeners(signal).on(signal, ignore);
  try {
    return await run();
  } finally {
    for (const { signal, listeners } of saved) {
      process.removeListener(signal, ignore);
      for (const listener of listeners) process.on(signal, listener);
    }
  }
}
