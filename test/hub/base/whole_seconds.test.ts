import { expect, test } from 'vitest';
import { wholeSeconds } from '../../../hub/base/whole_seconds.js';

test('a wait is rounded up to whole seconds', () => {
  expect([0, 1, 1_000, 1_001, 90_000].map(wholeSeconds)).toEqual(['0 s', '1 s', '1 s', '2 s', '90 s']);
});
