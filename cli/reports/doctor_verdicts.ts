import type { Check } from '../render/reports/doctor_report.js';

export const ok = (about: string, found: string): Check => ({ about, verdict: 'ok', found, fix: null });

export const warn = (about: string, found: string, fix: string | null): Check => ({
  ...{ about, verdict: 'warn', found, fix },
});

export const fail = (about: string, found: string, fix: string): Check => ({ about, verdict: 'fail', found, fix });
