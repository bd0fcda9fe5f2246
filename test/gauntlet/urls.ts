// Addresses that must not be reached, as people and attackers write them. One per word.

/** Addresses of each range that is not public, with its edges. */
const V4 = `
0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 169.254.255.255
172.16.0.0 172.17.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
192.168.1.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250
240.0.0.1 255.255.255.254 255.255.255.255`;

/** The same few machines in other spellings. */
const SPELLINGS = `
2130706433 0x7f000001 0x7F000001 017700000001 127.1 127.0.1 0x7f.1 0x7f.0.0.1 0177.0.0.1 0177.0.1 127.0x0.0.0x1
0000177.0.0.1 127.000.000.001 127.0.0.1. 0x7f000001. 2130706433. 127.0.0.01 0x0000007f.1 127.65535 127.0xffff
%31%32%37.0.0.1 127%2e0%2e0%2e1 %6c%6f%63%61%6c%68%6f%73%74 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1
2852039166 0xa9fea9fe 025177524776 169.254.43518 169.16689662 0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 169.254.169.254.
①⑥⑨.②⑤④.①⑥⑨.②⑤④ 0 0x0 00 0.0 0.0.0 0. 00000000000 3232235521 0xc0a80001 0300.0250.1 192.168.1 10.1 167772161
0xa.1 012.1 2886729728 0xac100001 4294967295 0xffffffff 1684300232 0x64.0x64.0x64.0xc8 localhost LOCALHOST LocalHost.
ⓛⓞⓒⓐⓛⓗⓞⓢⓣ loc%61lhost l\u00adocalhost`;

/** In brackets. */
const V6 = `
:: ::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::2 ::127.0.0.1 ::7f00:1 ::10.0.0.1 ::169.254.169.254
::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:127.0.0.1 0:0:0:0:0:ffff:7f00:1 ::ffff:10.1.2.3 ::ffff:169.254.169.254
::ffff:a9fe:a9fe ::ffff:192.168.0.1 ::ffff:100.100.100.200 ::ffff:0.0.0.0 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1
64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::8.8.8.8 64:ff9b:1::1 64:ff9b:1::7f00:1
64:ff9b:1:ffff::10.0.0.1 2002:7f00:1:: 2002:7f00:1::1 2002:a00:1:: 2002:a9fe:a9fe::1 2002:c0a8:1::1 2002:808:808::1
2001::1 2001:0:7f00:1:: 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:0:a00:1::f5ff:fffe 2001:2::1 2001:10::1 2001:20::1
2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff:ffff::1 2620:4f:8000::1 100::1 100:0:0:1::1 5f00::1 fc00::1 fd00::1
fd00:ec2::254 fdff:ffff::1 fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 feff::1 ff00::1 ff01::1 ff02::1 ff05::1:3 ff0e::1
1::1 4000::1 8000::1 e000::1 ::ffff:ffff:127.0.0.1`;

/** Names and the addresses they resolve to; each is looked up once. */
export const NAMES: Record<string, string[]> = {
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'app.127-0-0-1.sslip.io': ['127.0.0.1'],
  'localtest.me': ['127.0.0.1', '::1'],
  'lvh.me': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.google.internal.': ['169.254.169.254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  'metadata.aliyun.example': ['100.100.100.200'],
  'wireserver.example': ['168.63.129.16'],
  'host.docker.internal': ['172.17.0.1'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'router.local': ['192.168.1.1'],
  'printer.lan': ['10.0.0.9'],
  'one-of-two.example': ['93.184.215.14', '127.0.0.1'],
  'last-of-many.example': ['93.184.215.14', '93.184.215.15', '2606:2800::1', 'fe80::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'compatible.example': ['::127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'six-to-four.example': ['2002:7f00:1::'],
  'zone.example': ['fe80::1%eth0'],
  'zone-of-public.example': ['2606:2800::1%eth0'],
  'no-address.example': ['not an address'],
  'empty.example': [],
  'unique-local.example': ['fd12:3456:789a::1'],
  'broadcast.example': ['255.255.255.255'],
  'this-machine.example': ['93.184.215.99'],
  'xn--nxasmq6b.example': ['10.0.0.1'],
  'a_b.example': ['127.0.0.1'],
};

/** Whole URLs that lead elsewhere than they look, are not http, or carry a password. */
const WHOLE = [
  'http://user@127.0.0.1/',
  'http://user:password@example.org/',
  'http://example.org@127.0.0.1/',
  'http://example.org:80@127.0.0.1/',
  'http://:secret@example.org/',
  'http://127.0.0.1#@example.org/',
  'http://127.0.0.1?@example.org/',
  'http://127.0.0.1\\@example.org/',
  'http:\\\\127.0.0.1\\',
  'http:/127.0.0.1/',
  'http:127.0.0.1',
  'http:///127.0.0.1/',
  'http:////127.0.0.1/',
  'hTTp://127.0.0.1/',
  ' \t\nhttp://127.0.0.1/',
  'ht\ntp://127.0.0.1/',
  'http://127.\t0.0.1/',
  'http://127.0.\r\n0.1/',
  'http://127.0.0.1:80/',
  'http://127.0.0.1:22/',
  'http://127.0.0.1:0/',
  'http://127.0.0.1:65536/',
  'https://127.0.0.1/',
  'https://localhost:443/',
  'https://[::1]:8443/',
  'http://[::1%25lo]/',
  'http://[::1%lo]/',
  'http://[fe80::1%25eth0]/',
  'http://[::1',
  'http://::1/',
  'http://[127.0.0.1]/',
  'http://[::ffff:127.0.0.256]/',
  'http://256.256.256.256/',
  'http://127.0.0.1.5/',
  'http://4294967296/',
  'http://0x100000000/',
  'http://127.0.0.1\0.example.org/',
  'http://exa mple.org/',
  'http://example.org%00.127.0.0.1/',
  'http://%00/',
  'http:///',
  'http://',
  'http://./',
  'http://../',
  '//127.0.0.1/',
  '127.0.0.1',
  'localhost:80',
  '/etc/passwd',
  '',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:6379/_INFO',
  'dict://127.0.0.1:11211/stats',
  'ldap://127.0.0.1/',
  'ws://127.0.0.1/',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
  'data:text/html,hello',
  'javascript:alert(1)',
  'about:blank',
  'blob:http://127.0.0.1/x',
  'view-source:http://127.0.0.1/',
  'jar:http://127.0.0.1!/x',
  'netdoc:///etc/passwd',
];

const words = (text: string): string[] => text.trim().split(/\s+/);

/** All of them. */
export const HOSTILE: string[] = [
  ...words(V4).map((host) => `http://${host}/`),
  ...words(SPELLINGS).map((host) => `http://${host}/`),
  ...words(V6).map((host) => `http://[${host}]/`),
  ...Object.keys(NAMES).map((host) => `http://${host}/`),
  ...WHOLE,
];

/** Public addresses right next to refused ones, which must be reached. */
export const PUBLIC = words(`
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 168.63.129.15 168.63.129.17
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255
198.20.0.0 198.51.99.255 203.0.114.0 223.255.255.255 8.8.8.8 [2001:200::1] [2001:4860:4860::8888] [2003::1]
[2606:4700::1111] [2a00::1] [3ffe::1] [2001:db7::1] [2001:db9::1] [2620:4f:8001::1]`);
