import type { EndReason } from '../../model/provider.js';

/** The server's reason for the end, corrected by what it has sent: some servers say `stop` after calls. */
export function endReason(
  reason: EndReason,
  { hasText, hasCalls }: { hasText: boolean; hasCalls: boolean },
): EndReason {
  if (reason !== 'answered' && reason !== 'calls') return reason;
  if (hasCalls) return 'calls';
  return hasText ? 'answered' : 'empty';
}
