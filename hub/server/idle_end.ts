/** Ends an unused hub: calls `onIdle` when no client has been connected for `idleMs` and nothing runs. */
export function createIdleEnd(parts: { idleMs: number; isBusy(): boolean; onIdle(): void }) {
  let timer: NodeJS.Timeout | undefined;

  function arm(): void {
    timer = setTimeout(() => (parts.isBusy() ? arm() : parts.onIdle()), parts.idleMs);
    timer.unref();
  }

  return {
    /** To be called whenever the number of connections changes. */
    setConnections(count: number): void {
      clearTimeout(timer);
      if (count === 0) arm();
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
