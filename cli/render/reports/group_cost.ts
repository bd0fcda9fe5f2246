import { formatNumber } from '../text/ids_and_counts.js';
import { formatKnownPrice } from './cost_table.js';

/** What all turns of a group cost together; a null price is not known of some. */
export function costLine({
  tokens,
  price_microdollars: price,
}: {
  tokens: number;
  price_microdollars: number | null;
}): string {
  return `In all: ${formatNumber(tokens)} tokens, ${formatKnownPrice({ microdollars: price ?? 0, isWhole: price !== null })}`;
}
