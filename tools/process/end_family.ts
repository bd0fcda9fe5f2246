import { setTimeout as wait } from 'node:timers/promises';
import { listProcesses, type ProcessInfo } from './process_table.js';

/** How long processes may take to end after a signal. */
const GRACE_MS = 200;
const LOOK_AGAIN_MS = 5;
/** Limits of the rounds until no new process is found, and until none is left. */
const STOP_ROUNDS_MAX = 20;
const KILL_ROUNDS_MAX = 200;
/** During exec a process shows no environment for an instant. */
const EMPTY_LOOKS = 2;

/** All processes of one command. */
export interface Family {
  /** A text in the environment of each. */
  marker: string;
  /** The pid of the first one, which leads a group and a session; null when unknown. */
  leader: number | null;
}

/** Signals a family to end, then kills the rest. Returns how many had to be killed. */
export async function endFamily(family: Family, signal: NodeJS.Signals): Promise<number> {
  if (family.leader !== null) {
    send(-family.leader, signal);
    for (let waited = 0; waited < GRACE_MS && send(-family.leader, 0); waited += LOOK_AGAIN_MS) {
      await wait(LOOK_AGAIN_MS);
    }
  }
  return killFamily(family);
}

/** Kills every process of a family, even those that it starts meanwhile. Returns their number. */
export async function killFamily(family: Family): Promise<number> {
  const earlier = new Map<number, string>();
  // A stopped process starts no others: after that, killing one by one is no race.
  for (let round = 0; round < STOP_ROUNDS_MAX; round++) {
    const fresh = (await findMembers(family, earlier)).filter(({ pid, start }) => earlier.get(pid) !== start);
    if (fresh.length === 0) break;
    for (const { pid, start } of fresh) {
      earlier.set(pid, start);
      send(pid, 'SIGSTOP');
    }
  }
  if (earlier.size > 0) await killUntilGone(family, earlier);
  return earlier.size;
}

async function killUntilGone(family: Family, earlier: Map<number, string>): Promise<void> {
  let empty = 0;
  for (let round = 0; round < KILL_ROUNDS_MAX && empty < EMPTY_LOOKS; round++) {
    const left = await findMembers(family, earlier);
    empty = left.length === 0 ? empty + 1 : 0;
    for (const { pid, start } of left) {
      earlier.set(pid, start);
      send(pid, 'SIGKILL');
    }
    if (empty < EMPTY_LOOKS) await wait(LOOK_AGAIN_MS);
  }
}

/** The living members of a family: by marker, group, session, parent, or because they were members before. */
async function findMembers({ marker, leader }: Family, earlier: ReadonlyMap<number, string>): Promise<ProcessInfo[]> {
  const alive = (await listProcesses()).filter(({ pid }) => pid > 1 && pid !== process.pid);
  const isLed = ({ pid, group, session }: ProcessInfo): boolean =>
    leader !== null && (pid === leader || group === leader || session === leader);
  const members = new Set(alive.filter((seen) => isLed(seen) || earlier.get(seen.pid) === seen.start));
  for (const seen of alive) if (!members.has(seen) && seen.environmentHas(marker)) members.add(seen);
  addDescendants(alive, members);
  return [...members];
}

function addDescendants(alive: readonly ProcessInfo[], members: Set<ProcessInfo>): void {
  const byParent = grouped(alive);
  // Iterating a set visits elements added meanwhile.
  for (const seen of members) for (const child of byParent.get(seen.pid) ?? []) members.add(child);
}

function grouped(alive: readonly ProcessInfo[]): Map<number, ProcessInfo[]> {
  const byParent = new Map<number, ProcessInfo[]>();
  for (const seen of alive) byParent.set(seen.parent, [...(byParent.get(seen.parent) ?? []), seen]);
  return byParent;
}

/** False when there is no such process, or it belongs to another user. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended meanwhile, which is what is wanted
  }
}
