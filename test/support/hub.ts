import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HubError } from '../../hub/base/error.js';
import { type Client, type ConnectOptions, connect } from '../../hub/client/client.js';
import { openLink } from '../../hub/client/link.js';
import { homePaths } from '../../hub/config/config.js';
import { knownSocket } from '../../hub/home/socket_path.js';

/** The built hub that tests start. */
export const HUB_ENTRY = fileURLToPath(new URL('../../dist/hub.js', import.meta.url));

export interface TestHub {
  home: string;
  client: Client;
  /** One more client of the same hub. */
  connect(options?: ConnectOptions): Promise<Client>;
  /** The process number of the hub that runs now. */
  pid(): Promise<number>;
  /** Ends the hub as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Runs a test with a folder of its own, removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cognition-test-'));
  try {
    return await use(folder);
  } finally {
    // A process that is just ending may still add files.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Runs a test with an empty home folder; whatever hub it leaves behind there is killed. */
export function withHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const home = join(folder, 'home');
    try {
      return await use(home);
    } finally {
      await killHub(home);
    }
  });
}

/** Runs a test with a real hub process on an empty home. */
export function withHub<T>(use: (hub: TestHub) => Promise<T>): Promise<T> {
  return withHome(async (home) => {
    const open: Client[] = [];
    const another = async (options: ConnectOptions = {}): Promise<Client> => {
      const client = await connectTo(home, options);
      open.push(client);
      return client;
    };
    try {
      return await use({
        home,
        client: await another(),
        connect: another,
        pid: () => hubPid(home),
        kill: () => killHub(home),
      });
    } finally {
      await Promise.all(open.map((client) => client.close()));
    }
  });
}

/** Connects to the hub of a home, starting the built one when there is none. */
export function connectTo(home: string, options: ConnectOptions = {}): Promise<Client> {
  return connect({ home, hubEntry: HUB_ENTRY, ...options });
}

/** The process number of the hub of a home; fails when none runs. */
export async function hubPid(home: string): Promise<number> {
  const client = await connectTo(home, { start: false });
  try {
    return (await client.call('health.check', {})).pid;
  } finally {
    await client.close();
  }
}

/** Kills the hub of a home if there is one, and waits until its connections have broken. */
export async function killHub(home: string): Promise<void> {
  const path = knownSocket(homePaths(home));
  const link = path === null ? null : await openLink({ kind: 'socket', path }, { version: '0', protocol: 0 });
  if (link === null) return;
  const gone = once(link.socket, 'close');
  const pid = await hubPid(home).catch((error: unknown) => {
    // One that was told to end takes nobody any more, and ends by itself.
    if (error instanceof HubError && error.kind === 'unreachable') return null;
    throw error;
  });
  if (pid !== null) process.kill(pid, 'SIGKILL');
  await gone;
}

/** Resolves when the hub's log says that it has ended. To be called while it runs. */
export function hubEnded(home: string): Promise<void> {
  const { logs, hubLog } = homePaths(home);
  return new Promise((resolve) => {
    const watcher = watch(logs, () => {
      if (!readFileSync(hubLog, 'utf8').includes('the hub has ended')) return;
      watcher.close();
      resolve();
    });
  });
}
