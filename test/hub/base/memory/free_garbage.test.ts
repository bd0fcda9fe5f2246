import { expect, test } from 'vitest';
import { freeHeapGrowth, noteGarbage, noteYoungGarbage } from '../../../../hub/base/memory/free_garbage.js';

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

test('of buffers that lived but for a moment only some are there at a time', () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < 400; count += 1) {
    const buffer = Buffer.alloc(MIB / 4);
    noteYoungGarbage(buffer.length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(16 * MIB);
});

test('a heap that has grown by much is freed of what is used no more', () => {
  makeGarbage();
  freeHeapGrowth();
  const before = process.memoryUsage().heapUsed;
  expect(Array.from({ length: 1_000_000 }, (_, index) => ({ index, text: `${index}` }))).toHaveLength(1_000_000);
  freeHeapGrowth();
  expect(process.memoryUsage().heapUsed).toBeLessThan(before + 16 * MIB);
});
