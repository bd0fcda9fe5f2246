import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithin } from '../../../hub/base/is_within.js';

const WITHIN: [path: string, folder: string][] = [
  ['/a', '/a'],
  ['/a/b/c', '/a'],
  ['/a/', '/a'],
  ['/a', '/a/'],
  ['/a/b', '/a/'],
  ['/', '/'],
  ['/a', '/'],
  ['/a/..foo', '/a'],
  ['/a/..', '/'],
  ['/x/../a/b', '/a'],
];

const OUTSIDE: [path: string, folder: string][] = [
  ['/ab', '/a'],
  ['/a', '/a/b'],
  ['/', '/a'],
  ['/a/..', '/a'],
  ['/a/../b', '/a'],
  ['/a/b/../../c', '/a'],
  ['/a', ''],
  ['', '/'],
  ['', ''],
];

test.each(WITHIN)('%j is within %j', (path, folder) => {
  expect(isWithin(path, folder)).toBe(true);
});

test.each(OUTSIDE)('%j is not within %j', (path, folder) => {
  expect(isWithin(path, folder)).toBe(false);
});

test('a path is within a folder when the way from one to the other climbs nowhere', () => {
  const name = fc.constantFrom('a', 'b', '..', '..a', '.git');
  const path = fc.array(name, { maxLength: 5 }).map((names) => `/${names.join('/')}`);
  fc.assert(
    fc.property(path, path, (inner, outer) => {
      const way = posix.relative(outer, inner);
      expect(isWithin(inner, outer)).toBe(way !== '..' && !way.startsWith('../'));
    }),
  );
});
