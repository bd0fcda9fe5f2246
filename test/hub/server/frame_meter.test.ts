import { expect, test } from 'vitest';
import { createFrameMeter } from '../../../hub/server/frame_meter.js';
import { randomFrom } from '../../gauntlet/extent.js';
import { frame } from '../../gauntlet/raw_socket.mjs';

test('a message that has not ended is counted, in however many pieces and frames it comes', () => {
  const random = randomFrom(7);
  const start = frame('x'.repeat(200), { fin: false });
  const middle = frame('y'.repeat(70_000), { opcode: 0, fin: false });
  const end = frame('', { opcode: 0 });
  const whole = Buffer.concat([frame('before'), start, middle]);
  for (let round = 0; round < 50; round += 1) {
    const meter = createFrameMeter();
    let pieces = 0;
    for (let at = 0; at < whole.length; pieces += 1) {
      const to = at + 1 + Math.floor(random() * 20_000);
      meter.take(whole.subarray(at, to));
      at = to;
    }
    const bytes = start.length + middle.length;
    expect(meter.arriving()).toBeGreaterThan(bytes);
    expect(meter.arriving()).toBeLessThanOrEqual(bytes + pieces * 128);
    meter.take(frame('ping', { opcode: 9 }));
    expect(meter.arriving()).toBeLessThanOrEqual(bytes + (pieces + 1) * 128);
    meter.take(end);
    expect(meter.arriving()).toBe(0);
  }
});

test('frames that control the connection are no message', () => {
  const meter = createFrameMeter();
  meter.take(Buffer.concat(Array<Buffer>(200).fill(frame('x', { opcode: 9 }))));
  expect(meter.arriving()).toBe(0);
});
