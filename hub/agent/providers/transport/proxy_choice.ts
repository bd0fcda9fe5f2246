import { BlockList, isIP } from 'node:net';
import { HubError } from '../../../base/error.js';
import type { Route } from '../../../protocol/turn.js';

/** The proxy by which a caller reaches an address; null for none. As curl decides it, so that loopback is no exception. */
export function proxyFor(target: URL, route: NonNullable<Route>): URL | null {
  const proxy = target.protocol === 'https:' ? route.https_proxy : route.http_proxy;
  if (proxy === null || isExempt(target, route.no_proxy ?? '')) return null;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const kind = url === null ? 'what stands there is no address' : `${url.protocol}// is not supported`;
  throw new HubError('invalid_params', `the proxy for ${target.host} cannot be used: ${kind}`, {
    hint: 'give HTTPS_PROXY, HTTP_PROXY or ALL_PROXY the address of an HTTP proxy, like http://proxy.example:3128',
    details: { visible: false },
  });
}

/** Whether a list of hosts, domains and networks names the host. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bareHost(hostname);
  const usualPort = protocol === 'https:' ? '443' : '80';
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', at] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (at !== undefined && at !== (port || usualPort)) return false;
    const wanted = bareHost(name)
      .replace(/^\*?\./, '')
      .replace(/\.$/, '');
    if (wanted === '') return false;
    return host === wanted || isWithinNetwork(host, wanted) || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
  });
}

/** Whether an address belongs to a network such as `10.0.0.0/8`. */
function isWithinNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const version = isIP(address);
  if (version === 0 || isIP(host) !== version || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const networks = new BlockList();
  networks.addSubnet(address, Number(bits), family);
  return networks.check(host, family);
}

/** A host without the brackets of an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
