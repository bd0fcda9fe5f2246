import { expect, test } from 'vitest';
import { definitions } from '../../../../cli/render/text/definitions.js';
import { lookAt } from '../../../support/look.js';

const LIST = [
  ['/back [n]', 'go back over n messages: from an answer, 1 is its question'],
  ['/compare <node> <node> <more>', 'what two branches do not share'],
  ['/quit', 'leave'],
] as const;

test('a meaning stands beside its word, goes on below itself, and below a word that is long', () => {
  expect(definitions(LIST, lookAt(50))).toBe(`/back [n]  go back over n messages: from an
           answer, 1 is its question
/compare <node> <node> <more>
           what two branches do not share
/quit      leave
`);
});

test('where there is little room each meaning stands below its word', () => {
  expect(definitions(LIST, lookAt(24))).toBe(`/back [n]
  go back over n
  messages: from an
  answer, 1 is its
  question
/compare <node> <node> <more>
  what two branches do
  not share
/quit
  leave
`);
});

test('no line is wider than the width, whatever that is', () => {
  for (let width = 1; width < 100; width += 1) {
    const look = lookAt(width);
    for (const line of definitions([['a', 'some words of 数据 and 🎯🎯🎯 to be wrapped']], look).split('\n')) {
      // Two columns is the least that a wide character and its indent need.
      expect(look.ruler.width(line)).toBeLessThanOrEqual(Math.max(width, 4));
    }
  }
});

test('where lines are not cut a meaning is no wider than one reads', () => {
  const long = 'word '.repeat(60).trim();
  const lines = definitions([['a', long]], { ...lookAt(80), width: Number.POSITIVE_INFINITY })
    .trimEnd()
    .split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(83);
});
