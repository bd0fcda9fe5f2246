import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { aborted, onAbort, raceAbort, throwIfCancelled } from '../../../hub/base/abort.js';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const never = new Promise<never>(() => undefined);

test('work whose signal has aborted is refused as cancelled, by its name', () => {
  expect(() => throwIfCancelled(AbortSignal.abort(), 'the query')).toThrow(
    expect.objectContaining({ kind: 'cancelled', message: 'the query was cancelled' }),
  );
  expect(() => throwIfCancelled(new AbortController().signal, 'the query')).not.toThrow();
});

test('a listener is called once when the signal aborts', () => {
  const controller = new AbortController();
  let calls = 0;
  onAbort(controller.signal, () => {
    calls += 1;
  });
  expect(calls).toBe(0);
  controller.abort();
  controller.abort();
  expect(calls).toBe(1);
});

test('a listener is called at once when the signal has aborted already', () => {
  let calls = 0;
  onAbort(AbortSignal.abort(), () => {
    calls += 1;
  });
  expect(calls).toBe(1);
});

test('a listener that was removed is not called', () => {
  const controller = new AbortController();
  let calls = 0;
  const remove = onAbort(controller.signal, () => {
    calls += 1;
  });
  remove();
  expect(listenersOf(controller.signal)).toBe(0);
  controller.abort();
  expect(calls).toBe(0);
});

test('waiting for an abort ends when it comes, or at once', async () => {
  const controller = new AbortController();
  const end = aborted(controller.signal);
  controller.abort();
  await end;
  await aborted(controller.signal);
});

test('a race with an abort returns the result and leaves no listener', async () => {
  const { signal } = new AbortController();
  expect(await raceAbort(Promise.resolve(1), signal, () => new Error('late'))).toBe(1);
  await expect(raceAbort(Promise.reject(new Error('broken')), signal, () => new Error('late'))).rejects.toThrow(
    'broken',
  );
  expect(listenersOf(signal)).toBe(0);
});

test('a race with an abort fails with its reason as soon as the signal aborts', async () => {
  const controller = new AbortController();
  const race = raceAbort(never, controller.signal, () => new Error('late'));
  controller.abort();
  await expect(race).rejects.toThrow('late');
  await expect(raceAbort(never, controller.signal, () => new Error('later'))).rejects.toThrow('later');
});
