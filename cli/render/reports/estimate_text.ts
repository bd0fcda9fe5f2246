import { formatNumber } from '../text/ids_and_counts.js';

/** What is known of a request before it is sent. */
export interface EstimateFacts {
  tokens: number;
  /** Tokens that fit the model; null when that is not known. */
  window: number | null;
  cached: { tokens: number; state: 'warm' | 'cold' | 'unknown' };
  /** Until when it is cached, as the person's clock shows it; null when it is not. */
  until: string | null;
  price_microdollars: number | null;
}

/** A request on one line: `about 84,000 tokens, 42 % of the window; 80,000 of them cached until 14:05`. */
export function estimateLine(estimate: EstimateFacts): string {
  const { tokens, window, price_microdollars: price } = estimate;
  const share = window === null || window === 0 ? '' : `, ${Math.round((100 * tokens) / window)} % of the window`;
  const dollars =
    price === null || price === 0 ? '' : `; about $${(price / 1_000_000).toFixed(price < 100_000 ? 4 : 2)}`;
  return `about ${formatNumber(tokens)} tokens${share}${cachedText(estimate)}${dollars}`;
}

function cachedText({ cached, until, tokens }: EstimateFacts): string {
  if (cached.state === 'unknown') return '';
  if (cached.state === 'cold' || until === null) return '; none of them cached';
  return `; ${formatNumber(Math.min(cached.tokens, tokens))} of them cached until ${until}`;
}
