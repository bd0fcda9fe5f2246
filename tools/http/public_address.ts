import { isIP } from 'node:net';

type Range = [address: string, bits: number, what: string];

// IANA's special-purpose registries, and addresses at which clouds serve machines their secrets.
const REFUSED_V4: Range[] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private to a provider'],
  ['127.0.0.0', 8, 'this machine'],
  ['168.63.129.16', 32, 'a cloud’s own service'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'for documentation'],
  ['192.31.196.0', 24, 'reserved'],
  ['192.52.193.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'reserved'],
  ['198.18.0.0', 15, 'for benchmarks'],
  ['198.51.100.0', 24, 'for documentation'],
  ['203.0.113.0', 24, 'for documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

// Only 2000::/3 is allocated to the public; these are its special ranges. NAT64, 6to4 and Teredo lead to IPv4.
const GLOBAL_V6: Range = ['2000::', 3, 'public'];
const REFUSED_V6: Range[] = [
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'for documentation'],
  ['2002::', 16, 'a tunnel (6to4)'],
  ['2620:4f:8000::', 48, 'reserved'],
  ['3fff::', 20, 'for documentation'],
];
const NAMED_V6: Range[] = [
  ['::', 128, 'unspecified'],
  ['::1', 128, 'this machine'],
  ['::ffff:0:0', 96, 'an IPv4 address in another form'],
  ['::', 96, 'an IPv4 address in another form'],
  ['64:ff9b::', 96, 'a tunnel (NAT64)'],
  ['64:ff9b:1::', 48, 'a tunnel (NAT64)'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'multicast'],
];

/** Why an address does not belong to the public internet; null when it does. */
export function refusalReason(address: string): string | null {
  const bytes = addressBytes(address);
  if (bytes === null) return 'no address';
  if (bytes.length === 4) return REFUSED_V4.find((range) => isIn(bytes, range))?.[2] ?? null;
  if (isIn(bytes, GLOBAL_V6)) return REFUSED_V6.find((range) => isIn(bytes, range))?.[2] ?? null;
  return NAMED_V6.find((range) => isIn(bytes, range))?.[2] ?? 'reserved';
}

/** The 4 or 16 bytes of an address; null for anything else, such as one that names an interface. */
export function addressBytes(address: string): Uint8Array | null {
  const kind = address.includes('%') ? 0 : isIP(address);
  if (kind === 0) return null;
  return kind === 4 ? v4Bytes(address) : v6Bytes(address);
}

function v4Bytes(address: string): Uint8Array {
  return Uint8Array.from(address.split('.'), Number);
}

function v6Bytes(address: string): Uint8Array {
  const [head = '', tail = ''] = address.split('::');
  const before = groups(head);
  const after = groups(tail);
  const middle = new Array<number>(16 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...middle, ...after]);
}

function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return [...v4Bytes(group)];
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function isIn(bytes: Uint8Array, [start, bits]: Range): boolean {
  const range = addressBytes(start);
  if (range === null || range.length !== bytes.length) return false;
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 0xff : (0xff << (8 - (bits - bit))) & 0xff;
    const index = bit / 8;
    if (((bytes[index] ?? 0) & mask) !== ((range[index] ?? 0) & mask)) return false;
  }
  return true;
}
