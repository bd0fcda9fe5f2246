const THOUSAND = 1_000;
const MILLION = 1_000_000;

/** $0.05; a dash for nothing. */
export function money(microdollars: number): string {
  if (microdollars === 0) return '–';
  return `$${(microdollars / MILLION).toFixed(microdollars < 10 * THOUSAND ? 3 : 2)}`;
}

/** 950, 9.1 k, 24 k, 1.2 M. */
export function short(count: number): string {
  if (count < THOUSAND) return String(count);
  if (count < 10 * THOUSAND) return `${(count / THOUSAND).toFixed(1)} k`;
  if (count < MILLION) return `${Math.round(count / THOUSAND)} k`;
  return `${(count / MILLION).toFixed(1)} M`;
}

/** 1 branch, 2 branches, 1,000 nodes. */
export function count(number: number, noun: string): string {
  const ending = noun.endsWith('ch') ? 'es' : 's';
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : ending}`;
}

/** 0.25 s, 4.2 s, 12 s, 3 min 5 s, 2 h 10 min. */
export function seconds(ms: number): string {
  const all = Math.max(0, ms) / THOUSAND;
  if (all < 1) return `${all.toFixed(2)} s`;
  if (all < 10) return `${all.toFixed(1)} s`;
  const whole = Math.round(all);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago something was: now, 5 min ago, 3 h ago, 2 d ago. */
export function ago(ms: number, nowMs: number): string {
  const all = Math.max(0, nowMs - ms) / THOUSAND;
  if (all < 60) return 'now';
  if (all < 3_600) return `${Math.floor(all / 60)} min ago`;
  return all < 86_400 ? `${Math.floor(all / 3_600)} h ago` : `${Math.floor(all / 86_400)} d ago`;
}
