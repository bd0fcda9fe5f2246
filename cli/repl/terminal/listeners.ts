/** Those who want to be told of one kind of thing. */
export interface Listeners<T> {
  add(listener: (told: T) => void): void;
  tell(told: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const all: ((told: T) => void)[] = [];
  return {
    add: (listener) => void all.push(listener),
    tell: (told) => {
      for (const listener of all) listener(told);
    },
  };
}
