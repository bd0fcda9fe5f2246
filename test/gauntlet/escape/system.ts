import { type Escape, ON_X64, tryTo, WITHOUT_YAMA } from './escape.js';

const inNamespace = { thrownAway: ':' };
const onlyRoot = { onlyRoot: true } as const;

/** Attempts on mounts, the kernel and devices. */
export const KERNEL_ESCAPES: Escape[] = [
  tryTo('remount the system writable', 'mount -o remount,bind,rw /usr && escaped', {
    thrownAway: 'mount --rbind /usr /usr',
  }),
  tryTo(
    'a disk that is mounted meanwhile',
    'echo ready; until [ -e mounted ]; do sleep 0.02; done; holds disk/secret && escaped',
    { onlyRoot: true, mounts: true, needs: 'unshare --mount true' },
  ),
  tryTo('mount over something', 'mount -t tmpfs none /mnt && escaped', inNamespace),
  tryTo('uncover what is covered', 'umount -l .git/config && escaped', {
    thrownAway: 'mount --bind "$PROJECT/.git/config" "$PROJECT/.git/config"',
  }),
  tryTo(
    'user namespace with rights of its own',
    'unshare --user --map-root-user --mount mount -t tmpfs none /mnt && escaped',
  ),
  tryTo(
    'enter the namespaces of a process outside',
    'nsenter -t "$VICTIM" -m grep -qs CANARY "$OUT/secret" && escaped',
    onlyRoot,
  ),
  tryTo(
    'enter the namespaces of the parent',
    'nsenter -t "$PARENT" -m grep -qs CANARY "$OUT/secret" && escaped',
    onlyRoot,
  ),
  tryTo(
    'out of a changed root by a folder kept open',
    'mkdir jail; perl -e \'chroot("jail") or exit 1; chdir("..") for 1..64; chroot("."); open(F, "<", $ARGV[0]) or exit 1; exit(<F> =~ /CANARY/ ? 0 : 1)\' "$OUT/secret" && escaped',
    onlyRoot,
  ),
  tryTo(
    'open a file by its number on the disk',
    'perl -e \'my $h = pack("Ii", 128, 0) . ("\\0" x 128); my $m = pack("i", 0); chdir($ENV{PROJECT}); my $n = "notes"; syscall(303, -100, $n, $h, $m, 0) == 0 or exit 1; open(D, "<", ".") or exit 1; exit(syscall(304, fileno(D), $h, 0) >= 0 ? 0 : 1)\' && escaped',
    { onlyRoot: true, needs: ON_X64 },
  ),
  tryTo('make a device', 'mknod disk b 7 0 && escaped', onlyRoot),
  tryTo('open a device that lies in the project', 'head -c 1 device >copy && [ -s copy ] && escaped', onlyRoot),
  tryTo('log of the kernel', ': </dev/kmsg && escaped', { onlyRoot: true, needs: '[ -r /dev/kmsg ]' }),
  tryTo('memory of the machine', ': </dev/mem && escaped', { onlyRoot: true, needs: '( : </dev/mem )' }),
  tryTo('program for crashes', ': >>/proc/sys/kernel/core_pattern && escaped', onlyRoot),
  tryTo('emergency keys', ': >>/proc/sysrq-trigger && escaped', {
    onlyRoot: true,
    needs: '[ -w /proc/sysrq-trigger ]',
  }),
  tryTo('settings in /sys', ': >>/sys/kernel/mm/transparent_hugepage/enabled && escaped', {
    onlyRoot: true,
    needs: '[ -w /sys/kernel/mm/transparent_hugepage/enabled ]',
  }),
  tryTo(
    'program that a control group starts',
    'for place in /sys/fs/cgroup /sys/fs/cgroup/pids; do mkdir "$place/$NAME" && rmdir "$place/$NAME" && escaped && break; done',
    { onlyRoot: true, needs: '[ -w /sys/fs/cgroup/pids ] || [ -e /sys/fs/cgroup/cgroup.procs ]' },
  ),
  tryTo('become somebody else by a program of theirs', '[ "$(./somebody -u)" = 65534 ] && escaped', onlyRoot),
  tryTo('gain rights by a program that gives them', 'grep -q "^NoNewPrivs:.*0" /proc/self/status && escaped'),
  tryTo('rights of root over the files of others', 'holds private && escaped', onlyRoot),
  tryTo('gain rights by sudo', 'sudo -n true && escaped', { needs: 'sudo -n true' }),
  tryTo('memory that one handles faults of', "perl -e 'exit(syscall(323, 0) >= 0 ? 0 : 1)' && escaped", {
    onlyRoot: true,
    needs: `${ON_X64} && perl -e 'exit(syscall(323, 0) >= 0 ? 0 : 1)'`,
  }),
  tryTo('name of the machine', 'perl -e \'my $n = "evil"; exit(syscall(170, $n, 4) == 0 ? 0 : 1)\' && escaped', {
    ...inNamespace,
    needs: ON_X64,
  }),
  tryTo(
    'program in the kernel',
    'perl -e \'my $a = pack("IIII", 1, 4, 8, 1) . ("\\0" x 112); exit(syscall(321, 0, $a, 72) >= 0 ? 0 : 1)\' && escaped',
    {
      onlyRoot: true,
      needs: ON_X64,
    },
  ),
];

/** Attempts on other processes. */
export const PROCESS_ESCAPES: Escape[] = [
  tryTo('environment of processes outside', 'holds -a /proc/[0-9]*/environ && escaped'),
  tryTo(
    'environment of the first process',
    'for p in 1 "$PPID"; do holds -a "/proc/$p/environ" && escaped && break; done',
  ),
  tryTo('signal a process outside', 'kill -0 "$VICTIM" && grep -qs 4321 "/proc/$VICTIM/cmdline" && escaped'),
  tryTo(
    'files that a process outside has open',
    'for f in /proc/[0-9]*/fd/5; do [ -f "$f" ] && holds "$f" && escaped && break; done',
  ),
  tryTo(
    'files that were left open',
    'for f in /proc/self/fd/* "/proc/$PPID"/fd/*; do [ -f "$f" ] && holds "$f" && escaped && break; done',
    {
      needs: '[ -r "/proc/$PPID/fd" ]',
    },
  ),
  tryTo(
    'root of a process outside',
    'for p in 1 "$PPID" "$VICTIM"; do holds "/proc/$p/root$OUT/secret" && escaped && break; done',
  ),
  tryTo(
    'folder of a process outside',
    'for p in 1 "$PPID" "$VICTIM"; do holds "/proc/$p/cwd/secret" && escaped && break; done',
  ),
  tryTo(
    'trace a process outside',
    "perl -e 'exit(syscall(101, 0x4206, 0 + $ENV{VICTIM}, 0, 0) == 0 ? 0 : 1)' && escaped",
    {
      needs: `${ON_X64} && ${WITHOUT_YAMA}`,
    },
  ),
  tryTo('trace the parent', "perl -e 'exit(syscall(101, 0x4206, 0 + $ENV{PARENT}, 0, 0) == 0 ? 0 : 1)' && escaped", {
    needs: `${ON_X64} && ${WITHOUT_YAMA}`,
  }),
  tryTo('memory of a process outside', 'perl -e \'open(F, "+<", "/proc/$ENV{VICTIM}/mem") or exit 1\' && escaped', {
    needs: WITHOUT_YAMA,
  }),
  tryTo('memory of the parent', 'perl -e \'open(F, "+<", "/proc/$ARGV[0]/mem") or exit 1\' "$PPID" && escaped', {
    needs: WITHOUT_YAMA,
  }),
  tryTo(
    'copy memory of a process outside',
    'perl -e \'my ($from) = `cat /proc/$ENV{VICTIM}/maps` =~ /^([0-9a-f]+)-/ or exit 1; my $b = "\\0" x 8; my $l = pack("QQ", unpack("Q", pack("P", $b)), 8); my $r = pack("QQ", hex($from), 8); exit(syscall(310, 0 + $ENV{VICTIM}, $l, 1, $r, 1, 0) == 8 ? 0 : 1)\' && escaped',
    { needs: `${ON_X64} && ${WITHOUT_YAMA}` },
  ),
  tryTo(
    'memory that programs share',
    'perl -e \'my $i = shmget($ENV{SHARED}, 0, 0); my $b = ""; exit(defined($i) && shmread($i, $b, 0, 6) && $b eq "CANARY" ? 0 : 1)\' && escaped',
  ),
  tryTo(
    'a daemon that outlives its command',
    'mkfifo up; ( setsid sh -c \': >up; sleep 60; : "$0"\' "$NAME" </dev/null >/dev/null 2>&1 & ); : <up',
    { leaves: true },
  ),
  tryTo(
    'type into the terminal of whoever started it',
    'perl -e \'my $c = "x"; exit(ioctl(STDOUT, 0x5412, $c) ? 0 : 1)\' && escaped',
    {
      onTerminal: true,
      needs: 'command -v script && [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ]',
    },
  ),
  tryTo('the terminal of whoever started it', ': </dev/tty && escaped', {
    onTerminal: true,
    needs: 'command -v script',
  }),
];

/** Attempts on servers of this machine. */
export const NETWORK_ESCAPES: Escape[] = [
  tryTo("cognition's hub", 'reach "$KEPT/hub.sock" && escaped'),
  tryTo('a socket below /run', 'reach "$RUN_SOCKET" && escaped', onlyRoot),
  tryTo('a socket beside the project', 'reach "$OUT/docker.sock" && escaped'),
  tryTo('a socket in the project', 'reach ./agent.sock && escaped'),
  tryTo('a socket that was renamed', 'reach deep/renamed.sock && escaped'),
  tryTo('a socket under a second name', 'reach deep/second.sock && escaped'),
  tryTo('a socket with a line end in its name', "reach $'./two\\nlines.sock' && escaped"),
  tryTo('a socket whose name began in its own folder', 'reach deep/own.sock && escaped'),
  tryTo('rename the folder of a socket', 'mv deep deeper && escaped'),
  tryTo('a socket in a folder that may be read', 'reach "$READABLE/agent.sock" && escaped'),
  tryTo('a socket in /tmp', 'reach "/tmp/$NAME.sock" && escaped'),
  tryTo('a link to a socket', 'ln -s "$OUT/docker.sock" link; reach ./link && escaped'),
  tryTo(
    'a socket without a path',
    'perl -MSocket -e \'socket(S, AF_UNIX, SOCK_STREAM, 0); my $n = "\\0$ENV{NAME}"; exit(connect(S, pack_sockaddr_un($n)) || connect(S, pack("S a108", AF_UNIX, $n)) ? 0 : 1)\' && escaped',
  ),
  tryTo('TCP to the loopback', ': 3<>"/dev/tcp/127.0.0.1/$PORT" && escaped'),
  tryTo('TCP to the loopback by IPv6', ': 3<>"/dev/tcp/::1/$PORT6" && escaped', { needs: '[ "$PORT6" != 0 ]' }),
  tryTo(
    'UDP to the loopback',
    'perl -MIO::Socket::INET -e \'my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:$ENV{PORT_UDP}") or exit 1; $s->send("x"); alarm 2; my $b; exit(defined($s->recv($b, 9)) && $b eq "CANARY" ? 0 : 1)\' && escaped',
  ),
  tryTo(
    'take an interface down',
    "perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0); my $r = pack(q(a16 s x22), q(lo), 0); exit(ioctl(S, 0x8914, $r) ? 0 : 1)' && escaped",
    { ...inNamespace, needs: ON_X64 },
  ),
  tryTo('raw packets', "perl -MSocket -e 'exit(socket(S, AF_INET, SOCK_RAW, 1) ? 0 : 1)' && escaped", onlyRoot),
  tryTo('packets below IP', "perl -e 'exit(syscall(41, 17, 3, 0) >= 0 ? 0 : 1)' && escaped", {
    onlyRoot: true,
    needs: ON_X64,
  }),
];
