/** Things that wait for somebody who takes them one by one. */
export interface Mailbox<T> {
  put(item: T): void;
  /** Resolves when there is something, which stays until it is taken. */
  filled(): Promise<void>;
  take(): T | undefined;
}

/** What nobody takes is dropped beyond this. */
const ITEMS_MAX = 1_000;

export function createMailbox<T>(): Mailbox<T> {
  const items: T[] = [];
  let wake = (): void => undefined;
  let waiting: Promise<void> | null = null;
  return {
    put(item) {
      if (items.length < ITEMS_MAX) items.push(item);
      waiting = null;
      wake();
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
