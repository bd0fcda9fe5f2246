import { expect, test } from 'vitest';
import { createQueryQueue } from '../../../tools/postgres/query_queue.js';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function open() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end: () => end(), work: () => ended };
}

test('callers that wait for a free slot begin in the order of their arrival', async () => {
  const inTurn = createQueryQueue(2);
  const begun: number[] = [];
  const works = [0, 1, 2, 3].map(open);
  const all = works.map(({ work }, at) =>
    inTurn(never, () => {
      begun.push(at);
      return work();
    }),
  );
  expect(begun).toEqual([0, 1]);
  works[1]?.end();
  await all[1];
  await inTurnOf(begun, 3);
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of works) end();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('failed work frees its slot, and work that is cancelled while it waits takes none', async () => {
  const inTurn = createQueryQueue(1);
  const first = open();
  const failing = inTurn(never, () => first.work().then(() => Promise.reject(new Error('broken'))));
  const cancelled = new AbortController();
  const waiting = inTurn(cancelled.signal, () => Promise.resolve('never'));
  const last = inTurn(never, () => Promise.resolve('last'));
  cancelled.abort();
  await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
  first.end();
  await expect(failing).rejects.toThrow('broken');
  expect(await last).toBe('last');
  await expect(inTurn(cancelled.signal, () => Promise.resolve('never'))).rejects.toMatchObject({ kind: 'cancelled' });
  expect(await inTurn(never, () => Promise.resolve('again'))).toBe('again');
});

async function inTurnOf(begun: readonly number[], count: number): Promise<void> {
  while (begun.length < count) await new Promise(setImmediate);
}
