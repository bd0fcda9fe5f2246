import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { throwIfCancelled } from '../base/abort.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { within } from '../base/wait_at_most.js';
import { homePaths } from '../config/config.js';
import { prepareHome } from '../home/home_folder.js';
import { knownSocket } from '../home/socket_path.js';
import { type HubGreeting, type Link, openLink, type Program, type Target } from './link.js';
import { electStarter, resignStarter, spawnHub } from './start_hub.js';

// For a hub that has to bring a large database up to date first.
const START_MS_MAX = 60_000;
const POLL_MS = 15;
const END_MS_MAX = 15_000;

/** The hub a program asks for. */
export interface HubWanted {
  home: string;
  /** Whether to start one when none runs. */
  start: boolean;
  /** The built file of the hub. */
  entry: string;
  /** The TCP address it must listen on as well; null when that does not matter. */
  listen: string | null;
  program: Program;
  signal: AbortSignal;
}

export interface HubFound extends Link {
  /** A word to the person, when the hub is of another version; null otherwise. */
  note: string | null;
}

/** Connects to the hub of a home. Starts it when there is none, and replaces it when it is idle and older. */
export async function ensureHub(wanted: HubWanted): Promise<HubFound> {
  const deadlineMs = performance.now() + START_MS_MAX;
  let replaced = false;
  for (;;) {
    throwIfCancelled(wanted.signal, 'connecting to the hub');
    const link = await findHub(wanted);
    if (link !== null) {
      const verdict = judge(link.hub, wanted);
      // Once only: a program that is not what it says it is must not make hubs come and go.
      if (!verdict.replace || replaced || !(await stopIdle(link))) return useOrRefuse(link, verdict);
      replaced = true;
    } else if (!wanted.start) {
      throw new HubError('unreachable', `no hub is running for ${wanted.home}`, {
        hint: ['run: ', cliCommand('hub start')],
        retryable: true,
      });
    } else if (performance.now() > deadlineMs) {
      throw new HubError('unreachable', `the hub of ${wanted.home} did not come up`, {
        hint: ['run: ', cliCommand('hub logs')],
        retryable: true,
      });
    } else if (!(await startOnce(wanted))) {
      await wait(POLL_MS * (1 + Math.random()));
    }
  }
}

async function findHub(wanted: HubWanted): Promise<Link | null> {
  const path = knownSocket(homePaths(wanted.home));
  if (path === null) return null;
  const target: Target = { kind: 'socket', path };
  return openLink(target, wanted.program);
}

/** False when another process is at it, or when the hub's lock is not free yet. */
async function startOnce(wanted: HubWanted): Promise<boolean> {
  const paths = prepareHome(wanted.home);
  if (!electStarter(paths)) return false;
  try {
    // The one before may have finished between our look and our election.
    const link = await findHub(wanted);
    if (link !== null) {
      link.socket.terminate();
      return true;
    }
    await spawnHub({ paths, entry: wanted.entry, listen: wanted.listen, signal: wanted.signal });
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
export function judge(hub: HubGreeting, wanted: Pick<HubWanted, 'home' | 'listen' | 'program'>): Verdict {
  const { program } = wanted;
  const isNewer = compareVersions(program.version, hub.version) > 0;
  if (hub.protocol !== program.protocol) {
    return { replace: program.protocol > hub.protocol, refusal: wrongProtocol(hub, wanted), note: null };
  }
  if (wanted.listen !== null && !isListening(hub.listen, wanted.listen)) {
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

function wrongProtocol(hub: HubGreeting, { home, program }: Pick<HubWanted, 'home' | 'program'>): HubError {
  return new HubError(
    'version',
    `the hub of ${home} speaks protocol ${hub.protocol} (version ${hub.version}), this program protocol ${program.protocol} (version ${program.version})`,
    { hint: ['end it when its work is done: ', cliCommand('hub stop'), '; or use the other version of cognition'] },
  );
}

function isListening(actual: string | null, wanted: string): boolean {
  return actual !== null && (actual === wanted || (wanted.endsWith(':0') && actual.startsWith(wanted.slice(0, -1))));
}

function useOrRefuse(link: Link, { refusal, note }: Verdict): HubFound {
  if (refusal === null) return { ...link, note };
  link.socket.terminate();
  throw refusal;
}

/** Asks a hub to end unless it is at work, and waits for its end; false when it goes on. */
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

/** Below zero when the first is the older one; only the numbers count, not what follows them. */
function compareVersions(one: string, other: string): number {
  const numbers = (version: string): number[] => version.split(/[.+-]/).slice(0, 3).map(Number);
  const others = numbers(other);
  for (const [index, number] of numbers(one).entries()) {
    const difference = number - (others[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
