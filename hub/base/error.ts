import type { ErrorData, ErrorKind, Hint } from '../protocol/errors.js';

interface Explanation {
  hint?: Hint;
  cause?: unknown;
  retryable?: boolean;
  details?: ErrorData['details'];
}

/** A failure that a person can read: the message says what failed, with the value; the hint says what to do next. */
export class HubError extends Error {
  readonly kind: ErrorKind;
  readonly hint: Hint | null;
  readonly retryable: boolean;
  readonly details: ErrorData['details'];

  constructor(kind: ErrorKind, message: string, explanation: Explanation = {}) {
    super(message, { cause: explanation.cause });
    this.name = 'HubError';
    this.kind = kind;
    this.hint = explanation.hint ?? null;
    this.retryable = explanation.retryable ?? false;
    this.details = explanation.details ?? {};
  }

  /** The `data` of an error response. */
  get data(): ErrorData {
    return { kind: this.kind, hint: this.hint, retryable: this.retryable, details: this.details };
  }
}
