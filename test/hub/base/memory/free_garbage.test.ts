import { expect, test } from 'vitest';
import { noteGarbage } from '../../../../hub/base/memory/free_garbage.js';

const MIB = 1024 * 1024;

/** Makes as many bytes of text as a few large messages have, and keeps none. */
function makeGarbage(): void {
  const texts = Array.from({ length: 8 }, (_, index) =>
    String(index)
      .repeat(4 * MIB)
      .split('')
      .reverse()
      .join(''),
  );
  expect(texts).toHaveLength(8);
}

test('what large messages leave behind is freed when it has become much, and not before', () => {
  makeGarbage();
  const before = process.memoryUsage().heapUsed;
  noteGarbage(MIB);
  expect(process.memoryUsage().heapUsed).toBeGreaterThan(before - MIB);
  noteGarbage(32 * MIB);
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 16 * MIB);
});
