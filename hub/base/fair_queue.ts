interface Line<T> {
  items: T[];
  /** What its items have cost so far. */
  used: number;
}

/** Items of several keys. The key that has used the least comes first, so that one with few items waits for none with many. */
export interface FairQueue<T> {
  push(key: number, item: T): void;
  /** Takes an item that fits, of the key whose turn it is; undefined when none fits. */
  take(fits?: (item: T) => boolean): T | undefined;
  /** What an item of this key has cost, in any unit that is the same for all. */
  charge(key: number, cost: number): void;
  /** Removes the first item of which this is true. */
  remove(isIt: (item: T) => boolean): T | undefined;
  size(): number;
}

interface FairQueueOptions {
  /** Whether no item of a key may overtake an older one. */
  isInOrder: boolean;
  /** The most that a key still owes when it comes again: who asks now and then is not behind for what it used long ago. */
  debtMax: number;
}

/** Start-time fair queueing (https://doi.org/10.1109/90.649569) with a short memory. */
export function createFairQueue<T>({ isInOrder, debtMax }: FairQueueOptions): FairQueue<T> {
  const lines = new Map<number, Line<T>>();
  let size = 0;

  function linesInTurn(): Line<T>[] {
    return [...lines.values()].filter((line) => line.items.length > 0).sort((a, b) => a.used - b.used);
  }

  /** Who comes anew has used at least as much as the first in turn: waiting saves up nothing. */
  function enter(key: number): Line<T> {
    const floor = linesInTurn()[0]?.used;
    const used = lines.get(key)?.used ?? 0;
    for (const [other, line] of lines) {
      if (line.items.length === 0 && (floor === undefined || line.used <= floor)) lines.delete(other);
    }
    const line = { items: [], used: floor === undefined ? 0 : Math.min(Math.max(used, floor), floor + debtMax) };
    lines.set(key, line);
    return line;
  }

  function removeAt(line: Line<T>, at: number): T | undefined {
    size -= 1;
    return at === 0 ? line.items.shift() : line.items.splice(at, 1)[0];
  }

  return {
    push(key, item) {
      const known = lines.get(key);
      const line = known === undefined || known.items.length === 0 ? enter(key) : known;
      line.items.push(item);
      size += 1;
    },
    take(fits = () => true) {
      for (const line of linesInTurn()) {
        const at = line.items.findIndex(fits);
        if (at === -1 || (isInOrder && at > 0)) continue;
        return removeAt(line, at);
      }
      return undefined;
    },
    charge(key, cost) {
      const line = lines.get(key);
      if (line !== undefined) line.used += cost;
    },
    remove(isIt) {
      for (const line of lines.values()) {
        const at = line.items.findIndex(isIt);
        if (at !== -1) return removeAt(line, at);
      }
      return undefined;
    },
    size: () => size,
  };
}
