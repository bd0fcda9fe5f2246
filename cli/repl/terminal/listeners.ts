/** The listeners of one kind of event. */
export interface Listeners<T> {
  add(listener: (event: T) => void): void;
  emit(event: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const all: ((event: T) => void)[] = [];
  return {
    add: (listener) => void all.push(listener),
    emit: (event) => {
      for (const listener of all) listener(event);
    },
  };
}
