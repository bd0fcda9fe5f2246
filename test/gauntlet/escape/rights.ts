import { type Escape, tryTo } from './escape.js';

const where = { mayFail: true } as const;
const inNamespace = { thrownAway: ':', mayFail: true } as const;

const SETTINGS = [
  ...['kernel/modprobe', 'kernel/hotplug', 'kernel/poweroff_cmd', 'kernel/randomize_va_space', 'kernel/kptr_restrict'],
  ...['kernel/dmesg_restrict', 'kernel/panic', 'kernel/sysrq', 'kernel/perf_event_paranoid', 'kernel/pid_max'],
  ...['kernel/unprivileged_bpf_disabled', 'kernel/usermodehelper/bset', 'kernel/ns_last_pid', 'vm/overcommit_memory'],
  ...[
    'vm/drop_caches',
    'vm/mmap_min_addr',
    'fs/suid_dumpable',
    'fs/protected_symlinks',
    'fs/file-max',
    'net/ipv4/ip_forward',
  ],
].map((name) => `/proc/sys/${name}`);
const KERNEL_FILES = [
  ...['/proc/kcore', '/proc/kpagecount', '/proc/kpageflags', '/proc/vmallocinfo', '/proc/sys/kernel/cap_last_cap.x'],
  ...[
    '/sys/kernel/debug/tracing/trace',
    '/sys/kernel/security/lsm',
    '/sys/fs/cgroup/cgroup.procs',
    '/sys/firmware/acpi/tables/DSDT',
  ],
  ...['/sys/class/net/eth0/address', '/sys/module/kernel/parameters/panic', '/sys/kernel/notes', '/sys/block'],
];
const DEVICES = [
  ...[
    'port',
    'kvm',
    'fuse',
    'net/tun',
    'vhost-vsock',
    'vhost-net',
    'vsock',
    'loop-control',
    'loop0',
    'vda',
    'sda',
    'nvme0n1',
  ],
  ...['tty0', 'tty1', 'console', 'uinput', 'input/mice', 'dri/card0', 'userfaultfd', 'mapper/control', 'rtc0', 'hwrng'],
  ...['snapshot', 'hpet', 'cpu_dma_latency', 'autofs', 'btrfs-control', 'ppp', 'rfkill', 'snd/seq'],
];
const OF_PROCESSES = [
  'maps',
  'auxv',
  'cmdline',
  'exe',
  'status',
  'stack',
  'io',
  'map_files',
  'mountinfo',
  'ns/mnt',
  'task',
  'attr/current',
];

/** Attempts with rights, files of the kernel, devices and mounts. */
export const RIGHT_ESCAPES: Escape[] = [
  ...SETTINGS.map((path) => tryTo(`set ${path}`, `[ -e ${path} ] && : >>${path} && escaped`, where)),
  ...KERNEL_FILES.map((path) =>
    tryTo(
      `look at ${path}`,
      `{ [ -d ${path} ] && [ "$(ls -A ${path})" != "" ] || head -c 1 ${path} >/dev/null; } && escaped`,
      where,
    ),
  ),
  ...DEVICES.map((name) => tryTo(`open /dev/${name}`, `[ -e /dev/${name} ] && ( : </dev/${name} ) && escaped`, where)),
  ...OF_PROCESSES.map((name) =>
    tryTo(
      `${name} of a process outside`,
      `grep -qs 4321 "/proc/$VICTIM/cmdline" && ls -d "/proc/$VICTIM/${name}" && escaped`,
      where,
    ),
  ),
  ...['4755', 'u+s', '6755', 'u=rwxs'].map((mode) =>
    tryTo(`chmod ${mode}`, `: >p; chmod ${mode} p; [ -u p ] && escaped`),
  ),
  tryTo('install a set-user program', 'install -m 4755 /usr/bin/id p; [ -u p ] && escaped'),
  tryTo(
    'unpack a set-user program',
    'mkdir t && : >t/p && tar --mode=4755 -cf t.tar -C t p && tar xpf t.tar; [ -u p ] && escaped',
  ),
  tryTo(
    'keep a set-user bit while writing',
    'perl -e \'use Fcntl; sysopen(my $f, "p", O_CREAT | O_RDWR, 04755) or exit 1; syswrite($f, "#!/bin/sh\\n")\'; [ -u p ] && [ -s p ] && escaped',
    where,
  ),
  tryTo(
    'rights of a file',
    'perl -e \'my ($p, $n, $v) = ("p", "security.capability", pack("L5", 0x2000001, 0x2000, 0, 0, 0)); open(F, ">", $p); exit(syscall(188, $p, $n, $v, 20, 0) == 0 ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo('give a file to somebody else', ': >p; chown 65534 p && escaped', { onlyRoot: true }),
  tryTo('become somebody else', "perl -e '$> = 65534; $< = 65534; exit($< == 65534 ? 0 : 1)' && escaped", {
    onlyRoot: true,
  }),
  tryTo('other groups', 'setpriv --groups 4,27 true && escaped', { onlyRoot: true }),
  tryTo('a priority above others', 'nice -n -5 true 2>&1 | grep -q . || escaped', { onlyRoot: true }),
  tryTo(
    'a port of the system',
    'perl -MIO::Socket::INET -e \'exit(IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 77, Listen => 1) ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo('more open files than allowed', 'ulimit -n $(($(ulimit -Hn) + 1)) && escaped', where),
  tryTo(
    'rights by another capability set',
    'perl -e \'my $h = pack("LL", 0x20080522, 0); my $d = pack("L6", (0xffffffff, 0xffffffff, 0) x 2); exit(syscall(126, $h, $d) == 0 ? 0 : 1)\' && escaped',
    where,
  ),
  ...['proc', 'sysfs', 'tmpfs', 'devpts', 'mqueue', 'cgroup2', 'overlay', 'ramfs'].map((kind) =>
    tryTo(
      `mount ${kind}`,
      `mkdir m && mount -t ${kind} -o "$([ ${kind} = overlay ] && echo lowerdir=/usr:/etc)" ${kind} m && escaped`,
      inNamespace,
    ),
  ),
  tryTo('bind a folder elsewhere', 'mkdir m && mount --bind /usr m && escaped', inNamespace),
  tryTo('move a mount', 'mkdir m n && mount -t tmpfs x m && mount --move m n && escaped', inNamespace),
  tryTo('detach the project', 'cd /; umount -l "$PROJECT" && escaped', {
    ...inNamespace,
    thrownAway: 'mount --bind "$PROJECT" "$PROJECT"',
  }),
  tryTo('detach what covers .cognition', 'umount -l .cognition && escaped', {
    ...inNamespace,
    thrownAway: 'mkdir -p "$PROJECT/.cognition"; mount -t tmpfs x "$PROJECT/.cognition"',
  }),
  tryTo('remount the project', 'mount -o remount,dev,suid "$PROJECT" && escaped', {
    ...inNamespace,
    thrownAway: 'mount -t tmpfs x "$PROJECT"; cd "$PROJECT"',
  }),
  tryTo('write the root folder', ': >/new && escaped', {
    ...inNamespace,
    thrownAway:
      'mount -t tmpfs x /mnt && cd /mnt && mkdir usr dev tmp && mount --rbind /usr usr && mount --rbind /dev dev && mount --rbind /tmp tmp && for l in bin lib lib64 sbin; do [ -L /$l ] && cp -P /$l .; done; pivot_root . .',
  }),
];

/** Attempts with names in /tmp and second names, and more ways to servers. */
export const LINK_ESCAPES: Escape[] = [
  tryTo('a file moved out', 'mv notes "$OUT/" && escaped'),
  tryTo('a second name outside', 'ln notes "$OUT/hard" && escaped'),
  tryTo('a link outside', 'ln -s /etc "$OUT/link" && escaped'),
  tryTo(
    'a folder of /tmp swapped for a link',
    'mkdir -p /tmp/box && rmdir /tmp/box && ln -s "$OUT" /tmp/box && echo x >/tmp/box/new; rm -f /tmp/box; [ -e "$OUT/new" ] && escaped',
  ),
  tryTo('what others keep in /tmp', 'ls /tmp | grep -q "$NAME" && escaped'),
  tryTo('a path with many steps up', 'holds "../../../../../../../../..$OUT/secret" && escaped'),
  tryTo('a folder kept open and left', 'cd deep && holds ../../outside/secret && escaped'),
  tryTo('a file outside by /proc/self/fd', 'exec 5<"$OUT/secret" && holds /proc/self/fd/5 && escaped'),
  tryTo('a file outside by /dev/fd', 'exec 5<"$OUT/secret" && holds /dev/fd/5 && escaped'),
  tryTo('bits of a file outside', 'chmod 777 "$OUT/secret" && escaped'),
  tryTo('time of a file outside', 'touch "$OUT/secret" && escaped'),
  tryTo('size of a file outside', 'truncate -s 0 "$OUT/secret" && escaped'),
  tryTo('remove a file outside', 'rm "$OUT/secret" && escaped'),
  tryTo('list a folder outside', 'ls "$OUT" | grep -q secret && escaped'),
  tryTo('TCP to the loopback by its name', ': 3<>"/dev/tcp/localhost/$PORT" && escaped'),
  tryTo('TCP to the unspecified address', ': 3<>"/dev/tcp/0.0.0.0/$PORT" && escaped'),
  tryTo('TCP to the loopback as IPv6', ': 3<>"/dev/tcp/::ffff:127.0.0.1/$PORT" && escaped', where),
  tryTo(
    'multipath TCP',
    'perl -MSocket -e \'socket(S, AF_INET, SOCK_STREAM, 262) or exit 1; exit(connect(S, pack_sockaddr_in($ENV{PORT}, inet_aton("127.0.0.1"))) ? 0 : 1)\' && escaped',
    where,
  ),
  tryTo('the environment of who started it', 'tr "\\0" "\\n" </proc/$PPID/environ | grep -q CANARY && escaped', where),
  tryTo(
    'words of the commands of others',
    'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -q "[s]leep 4321" && escaped',
  ),
];
