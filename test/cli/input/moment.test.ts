import { expect, test } from 'vitest';
import { momentFrom } from '../../../cli/input/moment.js';

const NOW_MS = new Date(2026, 10, 18, 12, 30).getTime();
const HOUR_MS = 3_600_000;

test.each([
  ['today', new Date(2026, 10, 18).getTime()],
  ['2026-01-31', new Date(2026, 0, 31).getTime()],
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['12h', NOW_MS - 12 * HOUR_MS],
  ['7d', NOW_MS - 7 * 24 * HOUR_MS],
  [' 2w ', NOW_MS - 14 * 24 * HOUR_MS],
  ['999999w', 0],
])('%j is a moment', (text, moment) => {
  expect(momentFrom('since', text, NOW_MS)).toBe(moment);
});

test.each([
  '',
  '7',
  'd',
  '-1d',
  '1.5h',
  'yesterday',
  '2026-02-31',
  '2026-13-01',
  '2026-01-31Tnoon',
  '1900-01-01',
  '7d7d',
])('%j is refused with what is understood', (text) => {
  expect(() => momentFrom('since', text, NOW_MS)).toThrow(
    `--since takes a day, a time or a span, not ${JSON.stringify(text)}`,
  );
});
