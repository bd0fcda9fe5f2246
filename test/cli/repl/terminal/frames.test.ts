import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFrames } from '../../../../cli/repl/terminal/frames.js';

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
