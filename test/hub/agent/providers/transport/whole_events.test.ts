import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeEvents } from '../../../../../hub/agent/providers/transport/whole_events.js';

const lines = fc.array(fc.constantFrom('data: a', 'data: 数据', ': said', '', ''), { maxLength: 12 });
const streams = fc
  .tuple(lines, fc.constantFrom('\n', '\r', '\r\n'))
  .map(([list, end]) => ({ bytes: Buffer.from(list.map((line) => line + end).join('')), blank: end + end }));

test('whatever way a stream is cut, its bytes are handed on in order, event by event', () => {
  fc.assert(
    fc.property(streams, fc.infiniteStream(fc.integer({ min: 1, max: 6 })), ({ bytes, blank }, sizes) => {
      const events = wholeEvents('events');
      const given: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value ?? 1;
        const whole = events.add(bytes.subarray(at, at + size));
        at += size;
        if (whole === null) continue;
        // A copy: what is held may be written over.
        given.push(Buffer.from(whole));
        expect(Buffer.concat(given).toString().endsWith(blank)).toBe(true);
      }
      expect(events.rest().length).toBe(events.heldBytes());
      expect(Buffer.from(events.rest()).includes(blank)).toBe(false);
      expect(Buffer.concat([...given, events.rest()])).toEqual(bytes);
    }),
  );
});

test('an event is handed on with the very byte that ends it', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    const events = wholeEvents('events');
    const bytes = Buffer.from(`data: a${end}${end}`);
    const given = [...bytes].map((byte) => events.add(Uint8Array.of(byte)));
    expect(given.findIndex((whole) => whole !== null)).toBe(bytes.length - 1);
  }
});

test('of lines each is handed on as soon as it has its end, however it is cut', () => {
  const bytes = Buffer.from('{"a":"数据"}\n\n{"b":1}\r\n{"c":');
  for (const size of [1, 2, 5, bytes.length]) {
    const events = wholeEvents('lines');
    const given: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size)
      given.push(Buffer.from(events.add(bytes.subarray(at, at + size)) ?? []));
    expect(given.every((one) => one.length === 0 || one.at(-1) === 10)).toBe(true);
    expect(Buffer.concat(given).toString()).toBe('{"a":"数据"}\n\n{"b":1}\r\n');
    expect(Buffer.from(events.rest()).toString()).toBe('{"c":');
  }
});
