import { type Appended, type Plugin, RawJson } from '../base/plugin.js';
import { PROTOCOL } from '../protocol/limits.js';
import type { Calls } from '../routing/calls_under_way.js';
import { openRpcDocument } from './openrpc.js';

/** The state of the hub's storage. */
export interface Storage {
  epoch: string;
  status(): 'ok' | 'read_only';
  /** Running work, such as turns, that stopping now would interrupt. */
  busy(): number;
  /** Calls back for what is appended, when it is on the disk. */
  onAppend(tell: (entries: readonly Appended[]) => void): void;
}

export interface HealthParts {
  about: { version: string; home: string; clock: () => number };
  endpoint: string;
  sqliteVersion: string;
  storage: Storage;
  /** Calls and turns that stopping now would interrupt. */
  busy(): number;
  /** The state of the server, which opens after its plugins. */
  server(): { listen: string | null; connections: number };
  stop(): void;
}

/** Reports the state of the hub, and ends it. */
export function createHealth(parts: HealthParts): Plugin {
  const { version, home, clock } = parts.about;
  const startedAtMs = clock();
  return {
    name: 'health',
    version,
    methods: {
      'health.check': async () => ({
        status: parts.storage.status(),
        version,
        protocol: PROTOCOL,
        epoch: parts.storage.epoch,
        pid: process.pid,
        home,
        endpoint: parts.endpoint,
        listen: parts.server().listen,
        // The clock may have been set back meanwhile.
        uptime_ms: Math.max(0, Math.round(clock() - startedAtMs)),
        memory_bytes: process.memoryUsage.rss(),
        connections: parts.server().connections,
        busy: parts.busy(),
        sqlite: parts.sqliteVersion,
      }),
      'health.stop': async ({ if_idle }) => {
        const stopping = !if_idle || parts.busy() === 0;
        // After the answer is on its way.
        if (stopping) setImmediate(parts.stop);
        return { stopping };
      },
    },
  };
}

/** Describes the protocol and cancels calls. */
export function createRpcPlugin({ version, calls }: { version: string; calls: Calls }): Plugin {
  // Writing it takes longer than hundreds of other calls.
  let discovered: Promise<RawJson> | null = null;
  const discover = async (): Promise<RawJson> =>
    new RawJson(Buffer.from(JSON.stringify(await openRpcDocument(version))));
  return {
    name: 'rpc',
    version,
    methods: {
      'rpc.discover': () => {
        discovered ??= discover();
        return discovered;
      },
      'rpc.cancel': async ({ id }, { caller }) => ({
        cancelled: caller.kind === 'client' && calls.cancel(caller.connection, id),
      }),
    },
  };
}
