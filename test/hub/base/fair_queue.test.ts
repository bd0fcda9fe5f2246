import { describe, expect, test } from 'vitest';
import { createFairQueue } from '../../../hub/base/fair_queue.js';

const ONE = 1;
const OTHER = 2;

/** Takes everything, each for a cost of one, and returns the order. */
function drain(queue: ReturnType<typeof createFairQueue<string>>): string[] {
  const order: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    order.push(next);
    queue.charge(next.startsWith('one') ? ONE : OTHER, 1);
  }
  return order;
}

const newQueue = (isInOrder = true) => createFairQueue<string>({ isInOrder, debtMax: 2 });

describe('a fair queue', () => {
  test('lets a key with one item wait for none with a thousand, which in a plain line it would', () => {
    const queue = newQueue();
    const line: string[] = [];
    for (let number = 0; number < 1_000; number += 1) {
      queue.push(ONE, `one ${number}`);
      line.push(`one ${number}`);
    }
    queue.push(OTHER, 'other');
    line.push('other');
    expect(line.indexOf('other')).toBe(1_000);
    expect(drain(queue).indexOf('other')).toBeLessThanOrEqual(1);
  });

  test('keeps the order of each key', () => {
    const queue = newQueue();
    for (const number of [0, 1, 2])
      for (const key of ['one', 'other']) queue.push(key === 'one' ? ONE : OTHER, `${key} ${number}`);
    const order = drain(queue);
    expect(order.filter((item) => item.startsWith('one'))).toEqual(['one 0', 'one 1', 'one 2']);
    expect(order.filter((item) => item.startsWith('other'))).toEqual(['other 0', 'other 1', 'other 2']);
  });

  test('serves who has used less first, and waiting saves up nothing', () => {
    const queue = newQueue();
    queue.push(ONE, 'one 0');
    queue.push(ONE, 'one 1');
    queue.take();
    queue.charge(ONE, 100);
    for (const number of [0, 1, 2, 3]) queue.push(OTHER, `other ${number}`);
    queue.push(ONE, 'one 2');
    expect(drain(queue).slice(0, 4)).toContain('one 1');
  });

  test('forgets what a key used long ago, up to a small debt', () => {
    const queue = newQueue();
    queue.push(OTHER, 'other 0');
    queue.push(ONE, 'one 0');
    queue.take();
    queue.charge(OTHER, 1_000);
    for (let number = 1; number < 100; number += 1) queue.push(ONE, `one ${number}`);
    queue.push(OTHER, 'other 1');
    expect(drain(queue).indexOf('other 1')).toBeLessThan(5);
  });

  test('passes over what does not fit, and overtakes within a key only when it may', () => {
    const fits = (item: string): boolean => !item.endsWith('large');
    const [inOrder, anyOrder] = [newQueue(true), newQueue(false)];
    for (const queue of [inOrder, anyOrder]) {
      queue.push(ONE, 'one large');
      queue.push(ONE, 'one small');
    }
    expect([inOrder.take(fits), anyOrder.take(fits)]).toEqual([undefined, 'one small']);
    expect([inOrder.size(), anyOrder.size()]).toEqual([2, 1]);
    expect(inOrder.remove((item) => item === 'one large')).toBe('one large');
    expect(inOrder.take(fits)).toBe('one small');
  });
});
