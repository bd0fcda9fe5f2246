import { detach, neverFails } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import type { ToolParts } from '../../base/tool_parts.js';
import type { Sandbox } from '../../sandbox/forms/sandbox.js';
import { connectServer, type ServerConnection } from './connect_server.js';
import type { ServerStart } from './start_server.js';

/** How long a server is kept that nobody calls, and how many are. */
const IDLE_MS_MAX = 300_000;
const SERVERS_MAX = 8;

interface Kept {
  key: string;
  server: string;
  connection: Promise<ServerConnection>;
  /** Calls that are under way. */
  uses: number;
  idle: NodeJS.Timeout | undefined;
}

/** The servers that run: started for the first call, and kept for others. */
export interface KeptServers {
  use<T>(start: ServerStart, signal: AbortSignal, work: (connection: ServerConnection) => Promise<T>): Promise<T>;
  isRunning(key: string): boolean;
  endAll(): Promise<void>;
}

/** What makes a server another one: what is said of it, where, and whether it has the network. */
export function keyOf({ server, project, network }: Pick<ServerStart, 'server' | 'project' | 'network'>): string {
  return JSON.stringify([server.name, server.sha256, project, network]);
}

export function createKeptServers(
  parts: Pick<ToolParts, 'machine' | 'sessionsFolder'> & { sandbox: Sandbox },
): KeptServers {
  const kept = new Map<string, Kept>();
  const ending = new AbortController();

  async function drop(one: Kept): Promise<void> {
    if (kept.get(one.key) === one) kept.delete(one.key);
    clearTimeout(one.idle);
    // One that did not start has ended.
    await one.connection.then(
      (connection) => connection.end(),
      () => undefined,
    );
  }

  /** A server that counts one use more. */
  async function open(start: ServerStart): Promise<Kept> {
    const key = JSON.stringify([keyOf(start), start.values, start.path]);
    const known = kept.get(key);
    if (known !== undefined) {
      const connection = await known.connection.catch(() => null);
      if (connection?.isAlive() === true) {
        known.uses += 1;
        return known;
      }
      // Another call may have replaced it meanwhile.
      if (kept.get(key) === known) await drop(known);
      return open(start);
    }
    if (kept.size >= SERVERS_MAX) {
      await drop(idleOf(kept));
      return open(start);
    }
    const connection = connectServer(parts, start, ending.signal);
    const made: Kept = { key, server: keyOf(start), connection, uses: 1, idle: undefined };
    kept.set(key, made);
    return made;
  }

  return {
    async use(start, signal, work) {
      signal.throwIfAborted();
      const one = await open(start);
      clearTimeout(one.idle);
      try {
        return await work(await one.connection);
      } catch (error) {
        const connection = await one.connection.catch(() => null);
        if (connection?.isAlive() !== true) await drop(one);
        throw error;
      } finally {
        one.uses -= 1;
        if (one.uses === 0 && kept.get(one.key) === one) {
          one.idle = setTimeout(() => detach(drop(one), neverFails), IDLE_MS_MAX);
          one.idle.unref();
        }
      }
    },
    isRunning: (key) => [...kept.values()].some(({ server }) => server === key),
    async endAll() {
      ending.abort();
      await Promise.all([...kept.values()].map(drop));
    },
  };
}

/** The one that has been waiting for longest. */
function idleOf(kept: ReadonlyMap<string, Kept>): Kept {
  const idle = [...kept.values()].find(({ uses }) => uses === 0);
  if (idle !== undefined) return idle;
  throw new HubError('limit', `${SERVERS_MAX} tool servers are being called`, { hint: 'wait for one of them' });
}
