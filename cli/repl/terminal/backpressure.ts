/** Where those wait who have more to show than there is room for. */
export interface WaitingRoom {
  /** Resolves when they are let on. */
  wait(): Promise<void>;
  letOn(): void;
}

export function createWaitingRoom(): WaitingRoom {
  let waiting: (() => void)[] = [];
  return {
    wait: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    letOn() {
      const released = waiting;
      waiting = [];
      for (const go of released) go();
    },
  };
}
