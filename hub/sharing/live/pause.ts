const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long to wait after so many failures in a row: shortened at random, so that hubs do not all come back at once. */
export function backOffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** A sleep that others can end. */
export interface Sleep {
  /** Returns whether the whole time has passed. */
  wait(ms: number): Promise<boolean>;
  /** Ends the sleep, or the next one at once if nobody sleeps. */
  wake(): void;
}

export function createSleep(): Sleep {
  let isDue = false;
  let end: ((isWhole: boolean) => void) | null = null;
  return {
    async wait(ms) {
      if (!isDue) {
        let timer: NodeJS.Timeout | undefined;
        const isWhole = await new Promise<boolean>((resolve) => {
          end = resolve;
          timer = setTimeout(() => resolve(true), ms);
        });
        clearTimeout(timer);
        end = null;
        if (isWhole) return true;
      }
      isDue = false;
      return false;
    },
    wake() {
      isDue = true;
      end?.(false);
    },
  };
}
