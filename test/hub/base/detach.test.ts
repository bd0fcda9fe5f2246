import { expect, test } from 'vitest';
import { detach, neverFails } from '../../../hub/base/detach.js';

/** The next error that nothing catches, kept from ending the tests. */
async function nextUncaught(): Promise<unknown> {
  const listeners = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    return await new Promise((resolve) => process.once('uncaughtException', resolve));
  } finally {
    for (const listener of listeners) process.on('uncaughtException', listener as NodeJS.UncaughtExceptionListener); // as it came
  }
}

const failure = new Error('broken');

test('the failure of a promise that nobody awaits goes to its handler', async () => {
  expect(await new Promise((resolve) => detach(Promise.reject(failure), resolve))).toBe(failure);
});

test('the failure of a promise that must never fail is thrown uncaught', async () => {
  const uncaught = nextUncaught();
  detach(Promise.reject(failure), neverFails);
  expect(await uncaught).toBe(failure);
});

test('what a handler throws is not swallowed', async () => {
  const uncaught = nextUncaught();
  detach(Promise.reject(new Error('first')), () => {
    throw failure;
  });
  expect(await uncaught).toBe(failure);
});
