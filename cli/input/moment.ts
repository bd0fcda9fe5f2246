import { HubError } from '../../hub/base/error.js';

const HOUR_MS = 3_600_000;
const SPANS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/** Parses a moment: `today`, `2026-01-31`, a time such as `2026-01-31T12:00`, or a span back from now: `12h`, `7d`, `2w`. */
export function momentFrom(name: string, text: string, nowMs: number): number {
  const word = text.trim();
  const moment = word === 'today' ? startOfDay(nowMs) : (spanBack(word, nowMs) ?? dateOf(word));
  if (moment !== null && moment >= 0 && Number.isSafeInteger(moment)) return moment;
  throw new HubError(
    'invalid_params',
    `--${name} takes a day, a time or a span, not ${JSON.stringify(text.slice(0, 100))}`,
    {
      hint: `such as today, 2026-01-31, 12h, 7d or 2w`,
    },
  );
}

function startOfDay(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}

function spanBack(word: string, nowMs: number): number | null {
  const [, number = '', unit = ''] = /^(\d{1,6})([hdw])$/.exec(word) ?? [];
  const spanMs = SPANS_MS[unit];
  return spanMs === undefined ? null : Math.max(0, nowMs - Number(number) * spanMs);
}

/** A date without a time means local midnight. */
function dateOf(word: string): number | null {
  const [, year, month, day, time] = /^(\d{4})-(\d{2})-(\d{2})(T.+)?$/.exec(word) ?? [];
  if (year === undefined) return null;
  const midnight = new Date(Number(year), Number(month) - 1, Number(day));
  // 2026-02-31 would be taken for a day in March.
  if (midnight.getMonth() !== Number(month) - 1) return null;
  const moment = time === undefined ? midnight.getTime() : Date.parse(word);
  return Number.isNaN(moment) ? null : moment;
}
