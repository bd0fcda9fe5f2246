import type { EndReason } from '../../model/provider.js';

/** A server's word for the end, checked against what it has sent: some say `stop` after calls. */
export function endReason(said: EndReason, { hasText, hasCalls }: { hasText: boolean; hasCalls: boolean }): EndReason {
  if (said !== 'answered' && said !== 'calls') return said;
  if (hasCalls) return 'calls';
  return hasText ? 'answered' : 'empty';
}
