import { expect, test } from 'vitest';
import { callEnd } from '../../../hub/base/call_end.js';

const ended = (exit_code: number | null, signal: string | null = null, metadata: { reason?: string | null } = {}) =>
  callEnd({ exit_code, signal, handle: { source: 'bash', source_version: '1.0.0', identifier: 'cmd-1', metadata } });

test('a call fails with an exit code other than 0, and with a signal', () => {
  expect([ended(0), ended(null), ended(3)]).toEqual([
    { failed: false, how: null },
    { failed: false, how: null },
    { failed: true, how: 'exit code 3' },
  ]);
  expect(ended(null, 'SIGKILL', { reason: null })).toEqual({ failed: true, how: 'ended by SIGKILL' });
  expect(ended(143, 'SIGTERM')).toEqual({ failed: true, how: 'ended by SIGTERM' });
});

test('the reason for stopping a command comes before its signal and exit code, even when it exited with 0', () => {
  const late = { reason: 'timed out after 500 ms' };
  expect(ended(null, 'SIGTERM', late)).toEqual({ failed: true, how: 'timed out after 500 ms' });
  expect(ended(0, null, late)).toEqual({ failed: false, how: 'timed out after 500 ms' });
});

test('an interrupted call has failed', () => {
  const handle = { source: 'interrupted', source_version: '1.0.0', identifier: 'c1', metadata: {} };
  expect(callEnd({ exit_code: null, signal: null, handle })).toEqual({ failed: true, how: 'interrupted' });
});
