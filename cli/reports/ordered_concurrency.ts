/** Maps items concurrently, at most `atOnce` at a time, and yields the results in order. */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  for await (const item of items) {
    const one = work(item);
    // Handled when its result is awaited below; until then it must not count as unhandled.
    one.catch(() => undefined);
    running.push(one);
    const first = running.length < atOnce ? undefined : running.shift();
    if (first !== undefined) yield await first;
  }
  for (const rest of running) yield await rest;
}
