import { randomUUID } from 'node:crypto';
import { type AgentPlugin, createAgent } from '../agent/agent_plugin.js';
import { SYSTEM_TIMERS } from '../agent/model/timers.js';
import { createProviders } from '../agent/providers/all_providers.js';
import { createSessionPlugin } from '../agent/sub_sessions/session_plugin.js';
import { detach, neverFails } from '../base/detach.js';
import { installedPackages } from '../base/packages/installed_packages.js';
import type { Log, Plugin } from '../base/plugin.js';
import { within } from '../base/wait_at_most.js';
import { type HomePaths, readPreferences, VERSION } from '../config/config.js';
import { readSharedProjects, SHARED_PROJECTS } from '../config/shared_projects.js';
import { createContext } from '../context/context_plugin.js';
import { createHistory } from '../history/history_plugin.js';
import { prepareHome } from '../home/home_folder.js';
import { refuseServed, watchFiles } from '../home/home_watch.js';
import { type Lock, takeLock } from '../home/hub_lock.js';
import { hasLeftWork } from '../home/left_work.js';
import { claimSocket, type ListenAddress, parseListen } from '../home/socket_path.js';
import { removeToken, writeToken } from '../home/tcp_token.js';
import { createHealth, createRpcPlugin, type Storage } from '../plugins/health.js';
import { createPluginHost, READY_MS_MAX } from '../plugins/remote_plugins.js';
import { createCalls } from '../routing/calls_under_way.js';
import { createHub, type Hub } from '../routing/hub.js';
import { createIdleEnd } from '../server/idle_end.js';
import { createRpc } from '../server/json_rpc.js';
import { openLog } from '../server/log_file.js';
import { type Server, startServer } from '../server/server.js';
import { createSharing, type SharingPlugin } from '../sharing/plugin/sharing_plugin.js';

// Enough for an idle hub to end. Clients retry while the previous hub still answers its calls.
const LOCK_WAIT_MS = 500;
// The server itself takes fourteen seconds at most.
const STEP_MS_MAX = 15_000;
const MINUTE_MS = 60_000;

export interface RunParts {
  home: string;
  /** The TCP address to listen on, as `host:port`; null for none. */
  listen: string | null;
  clock: () => number;
  /** The built file of the process that serves the tools. */
  toolsEntry: string;
  /** Opens the plugins, after this process has become the one hub of its home. */
  openPlugins(place: { paths: HomePaths; log: Log }): Promise<{ plugins: Plugin[]; storage: Storage }>;
}

export interface RunningHub {
  listen: string | null;
  log: Log;
  /** Ends in order: answers running calls, closes the plugins, releases the home. */
  end(reason: string): Promise<void>;
  /** Resolves when the hub has ended. */
  ended: Promise<void>;
}

/** Runs the hub of a home folder in this process. */
export async function runHub(parts: RunParts): Promise<RunningHub> {
  const address = parts.listen === null ? null : parseListen(parts.listen);
  const paths = prepareHome(parts.home);
  const lock = await takeLock(paths.lock, LOCK_WAIT_MS);
  const log = openLog(paths.hubLog, parts.clock);
  try {
    await refuseServed(paths);
    return await open({ ...parts, paths, lock, log, address });
  } catch (error) {
    log('error', `the hub could not start: ${error instanceof Error ? error.message : String(error)}`);
    lock.release();
    throw error;
  }
}

type OpenParts = RunParts & { paths: HomePaths; lock: Lock; log: Log; address: ListenAddress | null };

async function open(parts: OpenParts): Promise<RunningHub> {
  const { paths, log, clock } = parts;
  const { plugins, storage } = await parts.openPlugins({ paths, log });
  const calls = createCalls();
  const busy = (): number => Math.max(calls.busy(), storage.busy(), agent.busy());
  const socket = claimSocket(paths);
  const end = (reason: string): void => detach(running.end(reason), neverFails);
  let server: Server | null = null;
  const idle = createIdleEnd({
    idleMs: minutesOf('hub.idle_minutes', paths.home, log),
    isBusy: () => busy() > 0,
    onIdle: () => end('nobody has needed it for a while'),
  });
  const clients = (): number => (server?.connections() ?? 0) - (host.connection() === null ? 0 : 1);
  const host = createPluginHost({
    entry: parts.toolsEntry,
    home: paths.home,
    logFile: paths.hubLog,
    log,
    clock,
    readyMsMax: READY_MS_MAX,
    onChange: () => idle.setConnections(clients()),
  });
  const health = createHealth({
    endpoint: socket,
    sqliteVersion: parts.lock.sqliteVersion,
    about: { version: VERSION, home: paths.home, clock },
    storage,
    busy,
    server: () => ({ listen: server?.listen ?? null, connections: clients() }),
    stop: () => end('it was asked to'),
  });
  const rpc = createRpcPlugin({ version: VERSION, calls });
  const hub = createHub({ plugins: [...plugins, ...host.plugins, health, rpc], log });
  const sharing = sharingOf(hub, { home: paths.home, log, storage });
  const history = createHistory(hub, { version: VERSION, newId: randomUUID });
  for (const plugin of [createContext(hub, VERSION), createSessionPlugin(hub), history, sharing]) hub.register(plugin);
  const agent = agentOf(hub, { paths, epoch: storage.epoch, log });
  hub.register(agent);
  const token = parts.address === null ? null : writeToken(paths.token);
  server = await startServer({
    socket,
    tcp: parts.address === null || token === null ? null : { address: parts.address, token },
    answer: createRpc({ hub, calls }),
    calls,
    greeting: () => ({ version: VERSION, epoch: storage.epoch, busy: busy() }),
    onCount: () => idle.setConnections(clients()),
    isOwnProcess: (connection) => connection === host.connection(),
    log,
  });
  const { listen, close } = server;
  const files = watchFiles(watchedFiles(paths), (file) => end(`${file} was moved, replaced or deleted`));
  const releaseHome = (): void => release(parts, token);
  const closeSteps = [files.stop, idle.stop, agent.end, sharing.end, host.end, close, hub.close, releaseHome];
  const running = runningHub({ log, listen, close: closeSteps });
  idle.setConnections(0);
  if (hasLeftWork(paths)) host.start();
  log('info', `hub ${VERSION}, process ${process.pid}, listens on ${[socket, listen ?? []].flat().join(' and ')}`);
  return running;
}

function sharingOf(hub: Hub, about: { home: string; log: Log; storage: Storage }): SharingPlugin {
  const { home, log, storage } = about;
  const sharing = createSharing(hub, {
    ...{ version: VERSION, log, addressOf: (name) => remoteAddress(home, name) },
    isLive: () => preferenceOf('sharing.live', home, log) === 'true',
    sharedProjects: () => readSharedProjects(preferenceOf(SHARED_PROJECTS, home, log)),
    filesBytesMax: () => Number(preferenceOf('sharing.files_megabytes_max', home, log)) * 1_000_000,
  });
  storage.onAppend(sharing.note);
  sharing.begin();
  return sharing;
}

function watchedFiles({ lock, database }: HomePaths): string[] {
  return [lock, database, `${database}-wal`];
}

function release({ paths, lock }: OpenParts, token: string | null): void {
  if (token !== null) removeToken(paths.token, token);
  lock.release();
}

function agentOf(hub: Hub, about: { paths: HomePaths; epoch: string; log: Log }): AgentPlugin {
  return createAgent(hub, {
    ...about,
    ...{ version: VERSION, newId: randomUUID, random: Math.random },
    jobMsMax: () => minutesOf('jobs.minutes_max', about.paths.home, about.log),
    hasOthers: () => preferenceOf('agents.for_models', about.paths.home, about.log) === 'true',
    ...{ providerFor: createProviders(installedPackages(about.paths.packages)), timers: SYSTEM_TIMERS },
  });
}

function remoteAddress(home: string, name: string): string | null {
  return readPreferences({ home, project: null, flags: {} }).remotes.get(name) ?? null;
}

/** A preference in minutes, as milliseconds. */
function minutesOf(key: string, home: string, log: Log): number {
  return Number(preferenceOf(key, home, log)) * MINUTE_MS;
}

function preferenceOf(key: string, home: string, log: Log): string {
  const preferences = readPreferences({ home, project: null, flags: {} });
  for (const warning of preferences.warnings) log('warn', warning);
  return preferences.get(key);
}

interface RunningParts {
  log: Log;
  listen: string | null;
  /** The steps of ending, in order. */
  close: readonly (() => Promise<void> | void)[];
}

function runningHub({ log, listen, close }: RunningParts): RunningHub {
  let ending: Promise<void> | null = null;
  let resolveEnded: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });

  async function closeAll(reason: string): Promise<void> {
    log('info', `the hub ends: ${reason}`);
    for (const step of close) {
      // A step that fails must not prevent the rest.
      const done = Promise.resolve()
        .then(step)
        .catch((error: unknown) => log('error', `while ending: ${String(error)}`));
      await within(STEP_MS_MAX, done);
    }
    log('info', 'the hub has ended');
    resolveEnded();
  }

  return {
    listen,
    log,
    ended,
    end(reason) {
      ending ??= closeAll(reason);
      return ending;
    },
  };
}
