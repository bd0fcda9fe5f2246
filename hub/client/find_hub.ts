import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { throwIfCancelled } from '../base/abort.js';
import { refuseForeignHome } from '../base/disk/home_owner.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { within } from '../base/wait_at_most.js';
import { environment, homePaths, temporaryFolderProblem } from '../config/config.js';
import { prepareHome } from '../home/home_folder.js';
import { knownSocket } from '../home/socket_path.js';
import { type HubGreeting, type Link, openLink, type Program, type Target } from './link.js';
import { copyHome, isReadOnlyHome } from './read_only_home.js';
import { electStarter, resignStarter, spawnHub } from './start_hub.js';

// Long enough for a hub that first migrates a large database.
const START_SECONDS_MAX = 60;
const POLL_MS = 15;
const END_MS_MAX = 15_000;
const CONNECTING = 'connecting to the hub';

/** Which hub a program needs. */
export interface HubRequest {
  home: string;
  /** Whether to start one when none runs. */
  start: boolean;
  /** The built file of the hub. */
  entry: string;
  /** The TCP address it must listen on as well; null when that does not matter. */
  listen: string | null;
  program: Program;
  signal: AbortSignal;
  /** Whether a copy is served where the home can only be read; a client whose calls may have written must not meet one. */
  mayCopy: boolean;
}

export interface ConnectedHub extends Link {
  /** A note for the person, such as that the hub has another version; null when there is none. */
  note: string | null;
  /** The home, where that can only be read: the hub serves a copy of it. */
  readOnlyHome: string | null;
}

/** Connects to the hub of a home. Starts it when there is none, and replaces it when it is idle and older. */
export async function ensureHub(request: HubRequest): Promise<ConnectedHub> {
  refuseForeignHome(request.home, environment('SUDO_UID'));
  const copies = request.start && request.mayCopy && isReadOnlyHome(request.home);
  return copies ? readOnlyHub(request) : findOrStart(request);
}

async function findOrStart(request: HubRequest): Promise<ConnectedHub> {
  // process.uptime, because performance.now loads a module of 5 ms at every start of a client.
  const deadline = process.uptime() + START_SECONDS_MAX;
  let replaced = false;
  let startNote: string | null = null;
  for (;;) {
    throwIfCancelled(request.signal, CONNECTING);
    const link = await findHub(request);
    if (link !== null) {
      const verdict = judge(link.hub, request);
      // Once only: a hub that keeps reporting the wrong version must not be restarted for ever.
      if (!verdict.replace || replaced || !(await stopIdle(link)))
        return useOrRefuse(link, { ...verdict, note: verdict.note ?? startNote });
      replaced = true;
    } else if (!request.start) {
      throw new HubError('unreachable', `no hub is running for ${request.home}`, {
        hint: ['run: ', cliCommand('hub start')],
        retryable: true,
      });
    } else if (process.uptime() > deadline) {
      throw new HubError('unreachable', `the hub of ${request.home} did not come up`, {
        hint: ['run: ', cliCommand('hub logs')],
        retryable: true,
      });
    } else if (await startOnce(request)) {
      startNote = temporaryFolderProblem();
    } else {
      await wait(POLL_MS * (1 + Math.random()));
    }
  }
}

async function findHub(request: HubRequest): Promise<Link | null> {
  const path = knownSocket(homePaths(request.home));
  if (path === null) return null;
  const target: Target = { kind: 'socket', path };
  return openLink(target, request.program);
}

/** The hub of a home that can only be read: the one that runs, else one of its own for a copy. */
async function readOnlyHub(request: HubRequest): Promise<ConnectedHub> {
  const running = await findHub(request);
  if (running !== null) return useOrRefuse(running, judge(running.hub, request));
  throwIfCancelled(request.signal, CONNECTING);
  const copy = copyHome(request.home);
  const link = await ensureHub({ ...request, home: copy.home, listen: null, mayCopy: false }).catch(
    (error: unknown) => {
      copy.remove();
      throw error;
    },
  );
  return { ...link, note: null, readOnlyHome: request.home };
}

/** False when another process is starting the hub, or the hub's lock is not free yet. */
async function startOnce(request: HubRequest): Promise<boolean> {
  const paths = prepareHome(request.home);
  if (!electStarter(paths)) return false;
  try {
    // The previous starter may have finished between our lookup and our election.
    const link = await findHub(request);
    if (link !== null) {
      link.socket.terminate();
      return true;
    }
    throwIfCancelled(request.signal, CONNECTING);
    await spawnHub({ paths, entry: request.entry, listen: request.listen, signal: request.signal });
    return true;
  } catch (error) {
    if (error instanceof HubError && error.kind === 'conflict' && error.retryable) return false;
    throw error;
  } finally {
    resignStarter(paths);
  }
}

interface Verdict {
  replace: boolean;
  /** Why it cannot be used as it is; null when it can. */
  refusal: HubError | null;
  note: string | null;
}

/** Decides whether a running hub will do. */
export function judge(hub: HubGreeting, request: Pick<HubRequest, 'home' | 'listen' | 'program'>): Verdict {
  const { program } = request;
  const isNewer = compareVersions(program.version, hub.version) > 0;
  if (hub.protocol !== program.protocol) {
    return { replace: program.protocol > hub.protocol, refusal: wrongProtocol(hub, request), note: null };
  }
  if (request.listen !== null && !isListening(hub.listen, request.listen)) {
    const refusal = new HubError(
      'conflict',
      `the running hub ${hub.listen === null ? 'has no TCP address' : `listens on ${hub.listen}`}`,
      {
        hint: ['it is busy now; end it first: ', cliCommand('hub stop')],
      },
    );
    return { replace: true, refusal, note: null };
  }
  const note = `the hub runs version ${hub.version}, this program is ${program.version}`;
  return { replace: isNewer, refusal: null, note: hub.version === program.version ? null : note };
}

function wrongProtocol(hub: HubGreeting, { home, program }: Pick<HubRequest, 'home' | 'program'>): HubError {
  return new HubError(
    'version',
    `the hub of ${home} speaks protocol ${hub.protocol} (version ${hub.version}), this program protocol ${program.protocol} (version ${program.version})`,
    { hint: ['end it when its work is done: ', cliCommand('hub stop'), '; or use the other version of cognition'] },
  );
}

function isListening(actual: string | null, expected: string): boolean {
  return (
    actual !== null && (actual === expected || (expected.endsWith(':0') && actual.startsWith(expected.slice(0, -1))))
  );
}

function useOrRefuse(link: Link, { refusal, note }: Verdict): ConnectedHub {
  if (refusal === null) return { ...link, note, readOnlyHome: null };
  link.socket.terminate();
  throw refusal;
}

/** Asks a hub to end unless it is busy, and waits until it has ended; false when it keeps running. */
async function stopIdle({ socket, hub }: Link): Promise<boolean> {
  if (hub.busy > 0) return false;
  const answer = new Promise<boolean>((resolve) => {
    socket.once('message', (data) => resolve(/"stopping":\s*true/.test(String(data))));
    socket.once('close', () => resolve(true));
  });
  const closed = once(socket, 'close');
  socket.send('{"jsonrpc":"2.0","id":"replace","method":"health.stop","params":{"if_idle":true}}');
  if (!(await answer)) return false;
  await within(END_MS_MAX, closed);
  return true;
}

/** Negative when the first version is older; only the three numbers count, not a suffix. */
function compareVersions(one: string, other: string): number {
  const numbers = (version: string): number[] => version.split(/[.+-]/).slice(0, 3).map(Number);
  const others = numbers(other);
  for (const [index, number] of numbers(one).entries()) {
    const difference = number - (others[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
