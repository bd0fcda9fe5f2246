import { expect, test } from 'vitest';
import { decodeMessage } from '../../../cli/input/message.js';

const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);

test('line ends become LF, and those at the end are dropped', () => {
  expect(decodeMessage(Buffer.from('one\r\ntwo\rthree\r\n\n'))).toBe('one\ntwo\nthree');
});

test('a byte order mark is not part of the message', () => {
  expect(decodeMessage(bytes(0xef, 0xbb, 0xbf, 0x68, 0x69))).toBe('hi');
});

test.each([
  ['at the beginning', bytes(0xff, 0x61), 0],
  ['after a character of several bytes', bytes(0xe6, 0x95, 0xb0, 0x80, 0x61), 3],
  ['in a long text', Uint8Array.from([...Buffer.from('a'.repeat(70_000)), 0xc3, 0x28]), 70_001],
])('input that is not UTF-8 is refused with the offset of the byte: %s', (_, content, byte) => {
  expect(() => decodeMessage(content)).toThrow(`the message is not UTF-8: byte ${byte} does not belong to a character`);
});

test('a text that ends inside a character is refused', () => {
  expect(() => decodeMessage(bytes(0x61, 0xe6, 0x95))).toThrow('byte 2 does not belong to a character');
});
