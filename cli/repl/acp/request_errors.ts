import { RequestError } from '@agentclientprotocol/sdk/unstable';
import { HubError } from '../../../hub/base/error.js';
import type { ErrorKind } from '../../../hub/protocol/errors.js';
import { hintInChat } from '../conversation/hint_in_chat.js';

const INTERNAL = -32603;
const CODES: Partial<Record<ErrorKind, number>> = {
  invalid_params: -32602,
  not_found: -32002,
  no_key: -32000,
  cancelled: -32800,
};

/** A failure as an editor is answered it: the message with what to do about it, and both apart for programs. */
export function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof HubError))
    return new RequestError(INTERNAL, error instanceof Error ? error.message : String(error));
  const { kind, message, retryable } = error;
  const hint = error.hint === null ? null : hintInChat(error.hint);
  return new RequestError(CODES[kind] ?? INTERNAL, withHint(message, hint), { kind, hint, retryable });
}

/** The failure of a turn. */
export function turnError({ message, hint }: { message: string; hint: string | null }): RequestError {
  return new RequestError(INTERNAL, withHint(message, hint), { hint });
}

function withHint(message: string, hint: string | null): string {
  return hint === null ? message : `${message}\nhint: ${hint}`;
}
