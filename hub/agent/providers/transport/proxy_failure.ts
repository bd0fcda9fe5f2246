import { errnoOf } from '../../../base/errno.js';
import { HubError } from '../../../base/error.js';

/** The codes of what goes wrong before a connection is there. */
const NOT_REACHED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/** A proxy that does not answer, as people see it; any other error is itself. */
export function proxyFailure(error: Error, proxy: URL): Error {
  const code = errnoOf(error instanceof AggregateError ? error.errors[0] : error);
  if (code === null || !NOT_REACHED.test(code)) return error;
  return new HubError('network', `cannot reach the proxy ${proxy.origin} (${code})`, {
    hint: 'look at HTTPS_PROXY, HTTP_PROXY and ALL_PROXY; hosts in NO_PROXY are reached without a proxy',
    retryable: code !== 'ECONNREFUSED' && code !== 'ENOTFOUND',
    details: { visible: false },
  });
}

/** A proxy that answers, and does not let a request through. */
export function proxyRefusal(status: number, { proxy, target }: { proxy: URL; target: string }): HubError {
  const details = { visible: false, status, reason: 'proxy' };
  if (status === 407) {
    const isNamed = proxy.username !== '';
    const wants = isNamed ? 'does not accept the name and the password' : 'wants a name and a password';
    return new HubError('rejected', `the proxy ${proxy.origin} ${wants} (407)`, {
      hint: `give them in its address: ${proxy.protocol}//name:password@${proxy.host}`,
      details,
    });
  }
  if (status >= 500) {
    return new HubError('network', `the proxy ${proxy.origin} cannot reach ${target} (${status})`, {
      hint: 'try again; a host that is reached without a proxy belongs into NO_PROXY',
      retryable: true,
      details,
    });
  }
  return new HubError('rejected', `the proxy ${proxy.origin} does not let requests through to ${target} (${status})`, {
    hint: 'ask who runs it to permit that host, or name the host in NO_PROXY',
    details,
  });
}
