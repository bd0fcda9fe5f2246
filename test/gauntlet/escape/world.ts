import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountDisk, unmount } from '../../support/mounts.js';
import type { How } from './escape.js';

/** Planted files, servers and a process that must not be reached; `remove` removes all of them. */
export interface World {
  name: string;
  project: string;
  readable: string;
  userHome: string;
  kept: string;
  tmp: string;
  /** Their addresses, for the scripts. */
  environment: Record<string, string>;
  /** Mounts a disk with a secret in the project. */
  mountDisk(): void;
  remove(): void;
}

/** Planted processes end with the process that planted them, however it ends. */
const DYING = ['--pdeathsig', 'KILL'];
const NOBODY = 65_534;
let made = 0;

export async function makeWorld(how: How): Promise<World> {
  made += 1;
  const name = `cognition-escape-${process.pid}-${made}`;
  const top = join(realpathSync(tmpdir()), `cognition-escape-${process.pid}`);
  const at = (path: string): string => join(top, path);
  const userHome = at('home');
  const project = how.project === 'home' ? userHome : at('project');
  const kept = how.project === 'kept' ? join(project, 'deep/kept') : join(userHome, 'kept');
  for (const path of ['outside', 'home/.ssh', 'home/.config/gh', 'home/work', 'readable', 'project', 'tmp'])
    mkdirSync(at(path), { recursive: true });
  mkdirSync(kept, { recursive: true });
  for (const path of ['outside/secret', 'home/.ssh/id', 'home/.netrc', 'home/notes'])
    writeFileSync(at(path), 'CANARY\n');
  writeFileSync(at('home/.bashrc'), 'CANARY\n');
  writeFileSync(join(kept, 'secret'), 'CANARY\n');
  const runSocket = isRoot() ? `/run/${name}.sock` : at('outside/run.sock');
  const paths = [runSocket, `/tmp/${name}.sock`, at('outside/docker.sock'), join(kept, 'hub.sock')];
  const sockets = [...paths, join(project, 'agent.sock'), at('readable/agent.sock'), `\0${name}`];
  mkdirSync(join(project, 'deep'), { recursive: true });
  sockets.push(join(project, 'deep/first.sock'), join(project, 'deep/other.sock'), join(project, 'two\nlines.sock'));
  const servers = await Promise.all(sockets.map((path) => listening({ path })));
  renameSync(join(project, 'deep/first.sock'), join(project, 'deep/renamed.sock'));
  linkSync(join(project, 'deep/other.sock'), join(project, 'deep/second.sock'));
  const own = await listeningFrom(join(project, 'deep'));
  const tcp = await listening({ host: '127.0.0.1', port: 0 });
  const tcp6 = await listening({ host: '::1', port: 0 }).catch(() => null); // a machine may have no IPv6
  const udp = await udpServer();
  const victim = spawn('setpriv', [...DYING, 'sleep', '4321'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', openSync(at('outside/secret'), 'r')],
    cwd: at('outside'),
    env: { PATH: process.env.PATH, SECRET: 'CANARY' },
  });
  plantProject(project, how);
  const shared = shareMemory();
  writeFileSync(`/dev/shm/${name}`, 'CANARY');
  return {
    ...{ name, project, readable: at('readable'), userHome, kept, tmp: at('tmp') },
    environment: {
      ...{ NAME: name, PROJECT: project, OUT: at('outside'), READABLE: at('readable'), HOME_DIR: userHome, KEPT: kept },
      ...{ RUN_SOCKET: runSocket, PORT: portOf(tcp), PORT6: portOf(tcp6), PORT_UDP: String(udp.address().port) },
      ...{ VICTIM: String(victim.pid), PARENT: String(process.pid), SHARED: shared },
    },
    mountDisk() {
      mkdirSync(join(project, 'disk'));
      mountDisk(join(project, 'disk'), '1m');
      writeFileSync(join(project, 'disk/secret'), 'CANARY\n');
      writeFileSync(join(project, 'mounted'), '');
    },
    remove() {
      if (how.mounts && existsSync(join(project, 'mounted'))) unmount(join(project, 'disk'));
      victim.kill('SIGKILL');
      own.kill('SIGKILL');
      for (const server of [...servers, tcp, tcp6]) server?.close();
      udp.close();
      execFileSync('ipcrm', ['-M', shared]);
      if (how.project === 'closed') for (const path of [project, join(project, '.git')]) chmodSync(path, 0o755);
      for (const path of [top, `${project}.moved`, `/dev/shm/${name}`]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** A server on a socket in the abstract namespace. */
async function listeningFrom(folder: string): Promise<ChildProcess> {
  const program = 'IO::Socket::UNIX->new(Local => "own.sock", Listen => 5) or die $!; $| = 1; print "ready\\n"; sleep';
  const child = spawn('setpriv', [...DYING, 'perl', '-MIO::Socket::UNIX', '-e', `my $server = ${program}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  return child;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function plantProject(project: string, { project: kind }: How): void {
  writeFileSync(join(project, 'notes'), 'notes\n');
  if (isRoot()) plantForRoot(project);
  if (kind !== 'closed') plantRepositories(join(project, 'vendor'));
  if (kind === 'linked') writeFileSync(join(project, '.git'), 'gitdir: /nowhere\n');
  if (kind !== undefined && kind !== 'closed') return;
  execFileSync('git', ['init', '--quiet', project], {
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  execFileSync('git', ['-C', project, 'config', 'extensions.worktreeConfig', 'true']);
  for (const path of ['hooks', 'modules/sub/hooks', 'worktrees/other']) {
    mkdirSync(join(project, '.git', path), { recursive: true });
  }
  writeFileSync(join(project, '.git/worktrees/other/commondir'), '../..\n');
  if (kind !== 'closed') return;
  rmSync(join(project, '.git/hooks'), { recursive: true });
  chmodSync(join(project, '.git'), 0o555);
  chmodSync(project, 0o555);
}

/** As git makes them, without starting it. */
function plantRepositories(vendor: string): void {
  for (const path of ['sub/.git', 'bare']) {
    for (const name of ['hooks', 'info', 'objects', 'refs/heads'])
      mkdirSync(join(vendor, path, name), { recursive: true });
    writeFileSync(join(vendor, path, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(vendor, path, 'config'), '[core]\n\trepositoryformatversion = 0\n');
  }
  mkdirSync(join(vendor, 'module'));
  writeFileSync(join(vendor, 'module/.git'), 'gitdir: ../sub/.git\n');
}

/** What only root can plant: a device, a file of another user, and a setuid program. */
function plantForRoot(project: string): void {
  execFileSync('mknod', [join(project, 'device'), 'c', '1', '5']);
  copyFileSync('/usr/bin/id', join(project, 'somebody'));
  chownSync(join(project, 'somebody'), NOBODY, NOBODY);
  chmodSync(join(project, 'somebody'), 0o4755);
  writeFileSync(join(project, 'private'), 'CANARY\n', { mode: 0o600 });
  chownSync(join(project, 'private'), NOBODY, NOBODY);
}

function listening(at: { path: string } | { host: string; port: number }): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => resolve(server));
  });
}

function portOf(server: Server | null): string {
  const address = server?.address() ?? null;
  return String(address !== null && typeof address === 'object' ? address.port : 0);
}

function udpServer(): Promise<ReturnType<typeof createSocket>> {
  const socket = createSocket('udp4', (_message, { port, address }) => socket.send('CANARY', port, address));
  return new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(socket)));
}

/** Shared memory that any program of the same user can find by its number. */
function shareMemory(): string {
  const key = String(0x6300_0000 + ((process.pid * 1_000 + made) % 0xff_ffff));
  const program = '$i = shmget($ARGV[0], 64, 01600) or die $!; shmwrite($i, "CANARY", 0, 6) or die $!';
  execFileSync('perl', ['-e', program, key]);
  return key;
}
