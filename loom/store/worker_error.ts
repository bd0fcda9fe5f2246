import { HubError } from '../../hub/base/error.js';
import type { ErrorData } from '../../hub/protocol/errors.js';

/** An error as it crosses the boundary of a thread. */
export type WorkerError = ErrorData & { message: string };

export function toWorkerError(error: HubError): WorkerError {
  return { ...error.data, message: error.message };
}

export function fromWorkerError({ message, kind, hint, retryable, details }: WorkerError): HubError {
  return new HubError(kind, message, { retryable, details, ...(hint === null ? {} : { hint }) });
}
