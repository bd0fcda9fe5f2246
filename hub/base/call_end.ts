import type { External } from '../protocol/node.js';

/** How a call ended. */
export interface CallEnd {
  /** Whether models and clients are told that it failed. */
  failed: boolean;
  /** What was not as usual, such as `exit code 1` or `timed out after 2 s`; null when there is nothing to say. */
  how: string | null;
}

/** Decides how a call ended, for every reader of its node. */
export function callEnd({ exit_code, signal, handle }: Pick<External, 'exit_code' | 'signal' | 'handle'>): CallEnd {
  // A journal that was committed before the result of a call came.
  if (handle.source === 'interrupted') return { failed: true, how: 'interrupted' };
  const hasExitedBadly = exit_code !== null && exit_code !== 0;
  // Why a command was stopped; one that saw it coming may have ended well nevertheless.
  const reason: unknown = Reflect.get(Object(handle.metadata), 'reason');
  const how = [
    typeof reason === 'string' ? reason : null,
    signal === null ? null : `ended by ${signal}`,
    hasExitedBadly ? `exit code ${exit_code}` : null,
  ];
  return { failed: hasExitedBadly || signal !== null, how: how.find((one) => one !== null) ?? null };
}
