import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createEmitTurns, EVENTS_AT_ONCE } from '../../../loom/feed/emit_turns.js';

test('a few watchers of a whole commit wait for nothing, many take turns', async () => {
  const turns = createEmitTurns();
  const now = Array.from({ length: 60 }, () => turns.takeNow(EVENTS_AT_ONCE));
  expect(now.filter(Boolean)).toHaveLength(3);
  const order: number[] = [];
  const waits = Array.from({ length: 10 }, (_, watcher) =>
    turns.wait(EVENTS_AT_ONCE).then(() => {
      order.push(watcher);
    }),
  );
  expect(turns.takeNow(1)).toBe(false);
  await nextTurn();
  expect(order.length).toBeLessThan(10);
  await Promise.all(waits);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await nextTurn();
  expect(turns.takeNow(EVENTS_AT_ONCE)).toBe(true);
});
