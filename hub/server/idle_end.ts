/** Ends a hub that nobody needs: calls `onIdle` once no client has been there for a time and nothing runs. */
export function createIdleEnd(parts: { idleMs: number; isBusy(): boolean; onIdle(): void }) {
  let timer: NodeJS.Timeout | undefined;

  function arm(): void {
    timer = setTimeout(() => (parts.isBusy() ? arm() : parts.onIdle()), parts.idleMs);
    timer.unref();
  }

  return {
    /** To be told whenever a connection has come or gone. */
    connectionsAre(count: number): void {
      clearTimeout(timer);
      if (count === 0) arm();
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
