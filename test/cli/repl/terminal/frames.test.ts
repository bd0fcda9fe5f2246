import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFrames } from '../../../../cli/repl/terminal/frames.js';

test('while the size changes nothing is drawn, and then once', async () => {
  let drawn = 0;
  const isDrawn = new Promise<void>((resolve) => {
    const frames = createFrames(() => {
      drawn += 1;
      resolve();
    });
    frames.request();
    for (let change = 0; change < 10; change += 1) {
      frames.hold();
      frames.request();
    }
  });
  await immediate();
  expect(drawn).toBe(0);
  await isDrawn;
  await immediate();
  expect(drawn).toBe(1);
});

test('a change that follows another closely is drawn at once, and those after it wait for their frame', async () => {
  let drawn = 0;
  const frames = createFrames(() => {
    drawn += 1;
  });
  for (const expected of [1, 2]) {
    frames.request();
    await immediate();
    expect(drawn).toBe(expected);
  }
  for (let change = 0; change < 100; change += 1) frames.request();
  frames.cancel();
  await immediate();
  expect(drawn).toBe(2);
});
