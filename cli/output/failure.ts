import { HubError } from '../../hub/base/error.js';
import { hintText, nameOnCommandLine } from '../../hub/base/hint.js';
import type { ErrorKind } from '../../hub/protocol/errors.js';
import { clean } from '../render/text/clean.js';
import { jsonText } from './json_text.js';

/** The exit codes that scripts rely on. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  noKey: 4,
  network: 5,
  unreachable: 6,
  limit: 7,
  approval: 8,
  hungUp: 129,
  interrupted: 130,
  readerGone: 141,
  terminated: 143,
} as const;

/** Their meanings, for the manual. */
export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.ok, 'All is well.'],
  [EXIT.failure, 'The command failed.'],
  [EXIT.usage, 'The command line was wrong.'],
  [EXIT.notFound, 'Something was not found, or could be several things.'],
  [EXIT.noKey, 'There are no credentials.'],
  [EXIT.network, 'A model provider or the network failed.'],
  [EXIT.unreachable, 'The hub could not be reached.'],
  [EXIT.limit, 'A limit of turns or of the budget was reached.'],
  [EXIT.approval, 'A question had to be answered, and there was no terminal.'],
  [EXIT.interrupted, 'Interrupted; 143 when it was terminated.'],
];

const EXIT_BY_KIND: Partial<Record<ErrorKind, number>> = {
  invalid_params: EXIT.usage,
  not_found: EXIT.notFound,
  ambiguous: EXIT.notFound,
  no_key: EXIT.noKey,
  rejected: EXIT.network,
  rate_limited: EXIT.network,
  overloaded: EXIT.network,
  context_too_long: EXIT.network,
  network: EXIT.network,
  unreachable: EXIT.unreachable,
  version: EXIT.unreachable,
  // An argument was too large; limits of turns and cost exit with EXIT.limit.
  limit: EXIT.usage,
  approval_needed: EXIT.approval,
  cancelled: EXIT.interrupted,
};

export function exitCodeOf(error: unknown): number {
  return error instanceof HubError ? (EXIT_BY_KIND[error.kind] ?? EXIT.failure) : EXIT.failure;
}

/** A failure as text for stderr: the message and its hint, or one JSON object whose hint is worded for the command line. */
export function renderFailure(error: unknown, json: boolean, nameOf = nameOnCommandLine): string {
  const failure = error instanceof HubError ? error : new HubError('internal', reasonOf(error));
  const { kind, message, details } = failure;
  const hint = failure.hint === null ? null : hintText(failure.hint, nameOf);
  if (json) return `${jsonText({ error: { kind, message, hint, details } })}\n`;
  return clean(`cognition: ${message}\n${hint === null ? '' : `hint: ${hint}\n`}`);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
