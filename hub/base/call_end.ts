import type { External } from '../protocol/node.js';

/** How a call ended. */
export interface CallEnd {
  /** Whether it counts as failed, for models and clients. */
  failed: boolean;
  /** How it differed from a normal end, such as `exit code 1` or `timed out after 2 s`; null for a normal end. */
  how: string | null;
}

/** Decides how a call ended, for every reader of its node. */
export function callEnd({ exit_code, signal, handle }: Pick<External, 'exit_code' | 'signal' | 'handle'>): CallEnd {
  // The journal was committed before the result of the call arrived.
  if (handle.source === 'interrupted') return { failed: true, how: 'interrupted' };
  const hasExitedBadly = exit_code !== null && exit_code !== 0;
  // Why a command was stopped; one that handles the signal may still have exited with 0.
  const reason: unknown = Reflect.get(Object(handle.metadata), 'reason');
  const how = [
    typeof reason === 'string' ? reason : null,
    signal === null ? null : `ended by ${signal}`,
    hasExitedBadly ? `exit code ${exit_code}` : null,
  ];
  return { failed: hasExitedBadly || signal !== null, how: how.find((one) => one !== null) ?? null };
}
