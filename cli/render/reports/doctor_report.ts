import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { widest } from '../text/columns.js';
import { pad } from '../text/cut.js';

/** The outcome of one check. */
export interface Check {
  about: string;
  verdict: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do; null when there is nothing to do. */
  fix: string | null;
  /** Each escape that was tried; only in JSON. */
  holds?: readonly string[];
}

/** One line per check, and below it the advice. */
export function renderChecks(checks: readonly Check[], look: Look): string {
  const aboutWidth = widest(
    checks.map(({ about }) => about),
    look.ruler,
  );
  return checks
    .map(({ about, verdict, found, fix }) => {
      const ink = { ok: look.style.good, warn: look.style.warning, fail: look.style.failure }[verdict];
      const line = `${ink(pad(verdict, 4, look.ruler))}  ${pad(about, aboutWidth, look.ruler)}  ${cleanLine(found)}\n`;
      return fix === null ? line : `${line}      fix: ${cleanLine(fix)}\n`;
    })
    .join('');
}
