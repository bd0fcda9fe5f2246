import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundBroken } from '../../../../hub/base/json/json_bounds.js';

const isDeeperThan = (text: Buffer, levels: number) =>
  boundBroken(text, { levels, containers: 1_000_000, commas: 1_000_000 }) === 'levels';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the depth found in the text is the depth of the parsed value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8, noUnicodeString: false }), fc.integer({ min: 0, max: 9 }), (text, levels) => {
      expect(isDeeperThan(Buffer.from(text), levels)).toBe(depthOf(JSON.parse(text)) > levels);
    }),
  );
});

test('brackets and escaped quotes in strings do not count', () => {
  const text = JSON.stringify({ '[[[[': '\\"[{\\\\', b: ['"]['] });
  expect(isDeeperThan(Buffer.from(text), 2)).toBe(false);
  expect(isDeeperThan(Buffer.from(text), 1)).toBe(true);
});

test('text that ends inside a string or without its brackets is measured as well', () => {
  expect(isDeeperThan(Buffer.from('"[[['), 0)).toBe(false);
  expect(isDeeperThan(Buffer.from('[[['), 2)).toBe(true);
  expect(isDeeperThan(Buffer.from(']]]['), 0)).toBe(false);
});

test('lists, objects and commas are counted outside of strings', () => {
  const text = Buffer.from('{"a,[{": [1, 2, ["x,y"]], "b": {}}');
  const broken = (containers: number, commas: number) => boundBroken(text, { levels: 9, containers, commas });
  expect([broken(4, 3), broken(3, 3), broken(4, 2)]).toEqual([null, 'containers', 'commas']);
});
