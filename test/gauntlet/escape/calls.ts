import { FORBIDDEN_CALLS, perlCall } from '../../support/forbidden_calls.js';
import { type Escape, ON_X64, tryTo } from './escape.js';

/** Where the kernel outside refuses as well, nothing is shown. */
const where = { mayFail: true, needs: ON_X64 } as const;

const FAMILIES = {
  ...{ ax25: 3, ipx: 4, appletalk: 5, x25: 9, key: 15, packet: 17, rds: 21, can: 29, tipc: 30, bluetooth: 31, alg: 38 },
  ...{ nfc: 39, vsock: 40, kcm: 41, qipcrtr: 42, smc: 43, xdp: 44 },
};
const NETLINK = {
  ...{ sock_diag: 4, xfrm: 6, selinux: 7, audit: 9, fib_lookup: 10, connector: 11, netfilter: 12, uevent: 15 },
  ...{ generic: 16, rdma: 20, crypto: 21 },
};
const NAMESPACES = ['user', 'mount', 'pid', 'net', 'ipc', 'uts', 'cgroup', 'time'];

const signal = (what: string, call: string): Escape =>
  tryTo(
    `${what} a process outside`,
    `perl -e 'my $b = "\\0" x 128; my $m = "\\1" . "\\0" x 7; exit(${call} >= 0 ? 0 : 1)' && grep -qs 4321 "/proc/$VICTIM/cmdline" && escaped`,
    where,
  );

/** Attempts to reach the kernel by calls that no build or test needs. */
export const CALL_ESCAPES: Escape[] = [
  ...FORBIDDEN_CALLS.map((one) =>
    tryTo(
      `${one.call}(${one.given})`,
      `perl -e '${perlCall(one)} exit($r < 0 && $! == ${one.errno} ? 1 : 0)' </dev/null && escaped`,
      where,
    ),
  ),
  ...Object.entries(FAMILIES).map(([name, family]) =>
    tryTo(
      `a socket of the family ${name}`,
      `perl -e 'for (1, 2, 3, 5) { exit 0 if syscall(41, ${family}, $_, 0) >= 0 } exit 1' && escaped`,
      where,
    ),
  ),
  ...Object.entries(NETLINK).map(([name, protocol]) =>
    tryTo(`netlink ${name}`, `perl -e 'exit(syscall(41, 16, 3, ${protocol}) >= 0 ? 0 : 1)' && escaped`, where),
  ),
  ...NAMESPACES.flatMap((name) => [
    tryTo(`a new namespace: ${name}`, `unshare --${name} true && escaped`, where),
    tryTo(
      `the namespace of a process outside: ${name}`,
      `[ "$(readlink "/proc/$VICTIM/ns/${name}")" != "" ] && perl -e 'open(my $f, "<", "/proc/$ENV{VICTIM}/ns/${name}") or exit 1; exit(0)' && escaped`,
      where,
    ),
  ]),
  tryTo(
    'a user namespace by clone',
    "perl -e 'my $p = syscall(56, 0x10000011, 0, 0, 0, 0); exit 7 if $p == 0; exit($p > 0 ? 0 : 1)' && escaped",
    where,
  ),
  tryTo(
    'a 32-bit call',
    'command -v gcc >/dev/null && echo \'int main() { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return r > 0 ? 0 : 1; }\' >c.c && gcc -o c c.c && ./c && escaped',
    where,
  ),
  tryTo(
    'trace a child',
    "perl -e 'my $p = fork; if (!$p) { sleep 9; exit } my $r = syscall(101, 0x4206, $p, 0, 0); kill 9, $p; exit($r == 0 ? 0 : 1)' && escaped",
    where,
  ),
  tryTo(
    'read the memory of a child',
    'perl -e \'my $p = fork; if (!$p) { sleep 9; exit } my ($at) = `cat /proc/$p/maps` =~ /^([0-9a-f]+)-/; my $b = "\\0" x 8; my $l = pack("QQ", unpack("Q", pack("P", $b)), 8); my $r = pack("QQ", hex($at), 8); my $n = syscall(310, $p, $l, 1, $r, 1, 0); kill 9, $p; exit($n == 8 ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo(
    'a key in the keyring of the session',
    'perl -e \'my ($t, $d, $p) = ("user", "cognition", "x"); exit(syscall(248, $t, $d, $p, 1, -2) > 0 ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo(
    'a ring of io_uring',
    'perl -e \'my $p = "\\0" x 120; exit(syscall(425, 4, $p) >= 0 ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo(
    'a map of bpf',
    'perl -e \'my $a = pack("IIII", 2, 4, 8, 1) . ("\\0" x 112); exit(syscall(321, 0, $a, 72) >= 0 ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo(
    'a counter of perf',
    'perl -e \'my $a = pack("LLQ", 1, 120, 0) . ("\\0" x 104); exit(syscall(298, $a, 0, -1, -1, 0) >= 0 ? 0 : 1)\' && escaped',
    where,
  ),
  signal('signal', 'syscall(62, 0 + $ENV{VICTIM}, 0)'),
  signal('queue a signal for', 'syscall(129, 0 + $ENV{VICTIM}, 0, $b)'),
  signal('signal a thread of', 'syscall(234, 0 + $ENV{VICTIM}, 0 + $ENV{VICTIM}, 0)'),
  signal('get a handle of', 'syscall(434, 0 + $ENV{VICTIM}, 0)'),
  signal('slow down', 'syscall(141, 0, 0 + $ENV{VICTIM}, 19)'),
  signal('limit', 'syscall(302, 0 + $ENV{VICTIM}, 7, 0, $b)'),
  signal('move to a processor', 'syscall(203, 0 + $ENV{VICTIM}, 8, $m)'),
  signal('learn the session of', 'syscall(124, 0 + $ENV{VICTIM})'),
];
