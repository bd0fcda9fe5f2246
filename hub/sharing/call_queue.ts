/** One piece of work after the other for each name. */
export type CallQueue = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Two at once for one remote would send the same. */
export function createQueue(): CallQueue {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, next);
    return next;
  };
}
