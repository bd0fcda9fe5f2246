/**
 * The program of the form `perl`. Its first process waits outside; the second is the first of the new process namespace: it
 * mounts, and stays one user namespace further out than the command, so that nothing inside can look into it. Numbers are added
 * to zero because perl passes anything else to the kernel as text.
 */
export const LAUNCHER = String.raw`
use strict;
my ($prctl, $unshare, $mount, $umount, $pivot, $capset, $setsid, $seccomp) = map { 0 + $_ } splice @ARGV, 0, 8;
my ($user, $network, $filter, $base, $memory, $cwd) = splice @ARGV, 0, 6;
my ($folders, $files, $links, $mounts) = map { [splice @ARGV, 0, shift @ARGV] } 1 .. 4;
my ($NEWNS, $NEWCGROUP, $NEWUTS, $NEWIPC, $NEWUSER, $NEWPID, $NEWNET) = map { hex } qw(20000 2000000 4000000 8000000 10000000 20000000 40000000);
sub fail { print STDERR "sandbox: $_[0]: $!\n"; exit 1 }
sub must { my ($what, @call) = @_; syscall(shift @call, @call) == 0 or fail($what) }
sub put { my ($path, $text) = @_; open(my $file, '>', $path) or fail($path); print($file $text) && close($file) or fail($path) }
sub mounted { my ($source, $target, $kind, $flags, $options) = @_; must("mount $target", $mount, $source, $target, $kind, $flags, $options) }
sub namespaces { must('namespaces', $unshare, $_[0]) }
sub endWithParent { must('parent', $prctl, 1, 9, 0, 0, 0) }
sub ended { my ($status) = @_; exit($status & 127 ? 128 + ($status & 127) : $status >> 8) }
sub waitFor { my ($child) = @_; for (;;) { my $one = wait; ended($?) if $one == $child; exit 1 if $one < 0 } }

endWithParent();
my ($uid, $gid) = ($>, $) + 0);
namespaces($user ? $NEWUSER : 0);
if ($user) { put('/proc/self/setgroups', 'deny'); put('/proc/self/uid_map', "0 $uid 1"); put('/proc/self/gid_map', "0 $gid 1") }
namespaces($NEWNS | $NEWCGROUP | $NEWUTS | $NEWIPC | $NEWPID | ($network ? 0 : $NEWNET));
pipe(my $alive, my $own) or fail('pipe');
my $first = fork // fail('fork');
if ($first) { close $alive; waitFor($first) }
close $own;
endWithParent();
vec(my $ready = '', fileno $alive, 1) = 1;
select($ready, undef, undef, 0) and exit 1;

if (open(my $first, '>', '/proc/self/oom_score_adj')) { print $first '1000'; close $first }
mounted('none', '/', '', 16384 | 262144, '');
put('/proc/sys/user/max_user_namespaces', '1') if $user;
my $loopback = pack('a16 s x22', 'lo', 0x41);
if (!$network && socket(my $socket, 2, 2, 0)) { ioctl($socket, 0x8914, $loopback) }
mounted('cognition', $base, 'tmpfs', 6, $memory);
umask 022;
my %made;
sub folder { my ($path) = @_; return if $made{$path}++ || -d $path; folder($path =~ m{^(.+)/[^/]*$}s ? $1 : '/'); mkdir $path or fail($path) }
folder($_) for @$folders;
for my $path (@$files) { open(my $file, '>>', $path) or fail($path) }
for my $path (@$links) { symlink(readlink($path) // fail($path), "$base$path") or fail($path) }
symlink("/proc/self/fd$$_[1]", "$base/dev/$$_[0]") for ['fd', ''], ['stdin', '/0'], ['stdout', '/1'], ['stderr', '/2'];
while (my ($kind, $source, $target, $flags, $options) = splice @$mounts, 0, 5) {
  my $bind = $kind eq 'bind';
  mounted($source, $target, $bind || $kind eq 'remount' ? '' : $kind, $bind ? 4096 | 16384 : 0 + $flags, $options);
  mounted('none', $target, '', 4096 | 32 | $flags, '') if $bind && $flags;
}
chdir $base or fail($base);
must('pivot_root', $pivot, '.', '.');
must('umount', $umount, '.', 2);
chdir $cwd or fail($cwd);

my $command = fork // fail('fork');
waitFor($command) if $command;
syscall($setsid);
if ($user) { namespaces($NEWUSER); put('/proc/self/uid_map', "$uid 0 1"); put('/proc/self/gid_map', "$gid 0 1") }
for (my $right = 0; syscall($prctl, 24, $right, 0, 0, 0) == 0; $right++) {}
must('rights', $prctl, 47, 4, 0, 0, 0);
must('rights', $capset, pack('LL', 0x20080522, 0), pack('L6', (0) x 6));
must('rights', $prctl, 38, 1, 0, 0, 0);
endWithParent();
if ($filter ne '') { my $code = pack('H*', $filter); must('filter', $seccomp, 1, 0, pack('S x![P] P', length($code) / 8, $code)) }
exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!\n";
exit 127;
`;
