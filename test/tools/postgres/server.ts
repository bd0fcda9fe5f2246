import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** The user that servers run as when these tests run as root, since PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const MUST_DROP = process.getuid?.() === 0;

/** A real PostgreSQL on a socket in its own folder, and on loopback. */
export interface TestServer {
  /** Reaches it over the socket, as its owner. */
  socket: string;
  /** Reaches it over loopback, with a password. */
  loopback(user: string, password: string): string;
  port: number;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Serves again after that. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const OWNER_PASSWORD = 'canary-of-the-owner';

/** The folder of PostgreSQL's programs; null where it is not installed. */
export const POSTGRES_BIN = binaries();

function binaries(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...['/usr/pgsql/bin', '/opt/homebrew/bin'],
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const has = (folder: string): boolean => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)));
  const found = folders.find(has) ?? null;
  return MUST_DROP && !existsSync('/usr/bin/setpriv') ? null : found;
}

/** Makes a database cluster in a new folder and serves it. */
export async function startServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'cognition-pg-'));
  const passwords = join(folder, 'password');
  await writeFile(passwords, OWNER_PASSWORD);
  if (MUST_DROP) for (const path of [folder, passwords]) await chown(path, NOBODY, NOBODY);
  const data = join(folder, 'data');
  const authentication = ['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${passwords}`];
  const [program = '', ...initdb] = asNobody('initdb', ['-D', data, '-U', 'owner', '--no-sync', '-E', 'UTF8']);
  await execute(program, [...initdb, '--locale=C', ...authentication], { cwd: folder, env: { LC_ALL: 'C' } });
  const port = await freePort();
  const settings = [`listen_addresses=127.0.0.1`, `unix_socket_directories=${folder}`, 'fsync=off', 'jit=off'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const [server = '', ...words] = asNobody('postgres', ['-D', data, '-p', String(port), ...options]);
  const serve = (): Promise<Serving> => startServing(server, words, folder);
  let serving = await serve();
  return {
    // A socket's name carries the port, which only the form of an address can tell.
    socket: `postgres://owner@/postgres?host=${folder}&port=${port}`,
    loopback: (user, password) => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    port,
    async kill() {
      // Its own processes end when they see that it has gone, and would serve on for as long.
      const children = childrenOf(serving.child.pid);
      serving.child.kill('SIGKILL');
      for (const pid of children) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      await serving.ended;
    },
    async restart() {
      serving = await serve();
    },
    async stop() {
      serving.child.kill('SIGINT');
      await serving.ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

interface Serving {
  child: ChildProcess;
  ended: Promise<unknown>;
}

async function startServing(program: string, words: string[], folder: string): Promise<Serving> {
  const child = spawn(program, words, { cwd: folder, env: { LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (line.includes('ready to accept connections')) resolve();
    });
    void ended.then(() => reject(new Error(`PostgreSQL has ended: ${lines.join('\n')}`)));
  });
  return { child, ended };
}

function childrenOf(pid: number | undefined): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function asNobody(name: string, words: string[]): string[] {
  const command = [join(POSTGRES_BIN ?? '', name), ...words];
  if (!MUST_DROP) return command;
  return ['/usr/bin/setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...command];
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a listening probe has a port');
  return address.port;
}
