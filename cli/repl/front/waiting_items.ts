/** Things that wait for somebody who takes them one by one. */
export interface WaitingItems<T> {
  /** False when there is no room for it. */
  put(item: T): boolean;
  /** Resolves when there is something, which stays until it is taken. */
  filled(): Promise<void>;
  take(): T | undefined;
}

/** How many wait at most. */
const ITEMS_MAX = 1_000;

export function createWaitingItems<T>(): WaitingItems<T> {
  const items: T[] = [];
  let wake = (): void => undefined;
  let waiting: Promise<void> | null = null;
  return {
    put(item) {
      if (items.length >= ITEMS_MAX) return false;
      items.push(item);
      waiting = null;
      wake();
      return true;
    },
    filled() {
      if (items.length > 0) return Promise.resolve();
      waiting ??= new Promise((resolve) => {
        wake = resolve;
      });
      return waiting;
    },
    take: () => items.shift(),
  };
}
