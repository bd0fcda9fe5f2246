/** Works on a few items of a list at once, and yields what they became in the order of the list. */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  for await (const item of items) {
    const one = work(item);
    // Its failure is told when its turn comes; until then it is nobody's.
    one.catch(() => undefined);
    begun.push(one);
    const first = begun.length < atOnce ? undefined : begun.shift();
    if (first !== undefined) yield await first;
  }
  for (const rest of begun) yield await rest;
}
