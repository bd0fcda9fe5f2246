import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errnoOf } from '../../../hub/base/errno.js';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test('a system error is identified by its code', () => {
  expect(errnoOf(thrownBy(() => readFileSync('/nowhere/at/all')))).toBe('ENOENT');
});

test('an error without a code in text form has none', () => {
  const aborted = thrownBy(() => AbortSignal.abort().throwIfAborted()); // its code is a number
  const others = [new Error('plain'), aborted, { code: 'ENOENT' }, 'ENOENT', null, undefined];
  expect(others.map(errnoOf)).toEqual(others.map(() => null));
});
