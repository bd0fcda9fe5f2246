import { expect, test } from 'vitest';
import { objectInLine } from '../../../../hub/base/json/json_line.js';

test('a line is an object of JSON, or nothing', () => {
  const read = (line: string): object | null => objectInLine(Buffer.from(line));
  expect(read('{"a": [1]}  \r')).toEqual({ a: [1] });
  for (const line of ['', ' ', '[]', '7', '{', '{"a"', 'words', 'null']) expect(read(line)).toBeNull();
});

test('what is nested deeper than code can walk is no object', () => {
  const nested = (levels: number): Buffer => Buffer.from(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
  expect(objectInLine(nested(99))).not.toBeNull();
  expect(objectInLine(nested(100))).toBeNull();
  expect(objectInLine(nested(1_000_000))).toBeNull();
});
