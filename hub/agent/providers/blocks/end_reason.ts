import type { EndReason } from '../../model/provider.js';

/** The server's reason for the end, corrected by what it has sent: some servers say `stop` after calls. */
export function endReason(
  reason: EndReason,
  { hasText, hasCalls }: { hasText: boolean; hasCalls: boolean },
): EndReason {
  if (reason !== 'answered' && reason !== 'calls' && reason !== 'paused') return reason;
  if (hasCalls) return 'calls';
  if (!hasText) return 'empty';
  return reason === 'paused' ? 'paused' : 'answered';
}
