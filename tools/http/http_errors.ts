import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';

const REASONS: [code: RegExp, reason: string, hint: string][] = [
  [/^ECONNREFUSED$/, 'the connection was refused', 'nothing listens there'],
  [/^(ENOTFOUND|EAI_NODATA|EAI_NONAME)$/, 'the name is unknown', 'check how it is spelled'],
  [/^EAI_|^ESERVFAIL$/, 'the name could not be looked up', 'check the connection to the network'],
  [/^ETIMEDOUT$/, 'it did not answer in time', 'try again later'],
  [/^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'it cannot be reached from here', 'check the network'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'the connection broke before the answer was whole', 'try again'],
  [/^HPE_HEADER_OVERFLOW$/, 'the head of the answer is too long', 'the server misbehaves'],
  [/^HPE_/, 'what it answered is not http', 'check the port, and whether it is https'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired', 'the server’s owner must renew it'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name', 'check the address'],
  [/SELF_SIGNED|UNABLE_TO|^CERT_|^ERR_TLS/, 'its certificate is not trusted', 'nothing was sent to it'],
  [/^(EPROTO|ERR_SSL_.*)$/, 'no secure connection came about', 'check the port, and whether it is http'],
];

/** A network error in words for a person. */
export function networkError(error: unknown, what: string): HubError {
  if (error instanceof HubError) return error;
  const code = errnoOf(error) ?? '';
  const entry = REASONS.find(([pattern]) => pattern.test(code));
  const message = error instanceof Error ? error.message : String(error);
  const [, reason, hint] = entry ?? [null, message, 'try again later'];
  const isLasting = /certificate|unknown|secure|not http/.test(reason);
  return new HubError('network', `${what}: ${reason}`, { hint, cause: error, retryable: !isLasting });
}
