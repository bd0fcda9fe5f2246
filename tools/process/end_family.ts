import { setTimeout as wait } from 'node:timers/promises';
import { lookAtProcesses, type Seen } from './process_table.js';

/** How long processes that were asked to end may take for it. */
const GRACE_MS = 200;
const LOOK_AGAIN_MS = 5;
/** Looks until nothing new is found, and until nothing is left. */
const STOP_ROUNDS_MAX = 20;
const KILL_ROUNDS_MAX = 200;
/** A process that is just beginning another program shows no environment for an instant. */
const EMPTY_LOOKS = 2;

/** All processes that come from one command. */
export interface Family {
  /** Stands in the environment of each. */
  marker: string;
  /** The first of them, which leads a group and a session; null when that is not known any more. */
  leader: number | null;
}

/** Asks a family to end, then makes it. Returns how many did not end by themselves. */
export async function endFamily(family: Family, signal: NodeJS.Signals): Promise<number> {
  if (family.leader !== null) {
    send(-family.leader, signal);
    for (let waited = 0; waited < GRACE_MS && send(-family.leader, 0); waited += LOOK_AGAIN_MS) {
      await wait(LOOK_AGAIN_MS);
    }
  }
  return killFamily(family);
}

/** Kills every process of a family, those as well that it begins meanwhile. Returns how many there were. */
export async function killFamily(family: Family): Promise<number> {
  const known = new Map<number, string>();
  // Who has been stopped begins no more: only then is killing one after the other no race against them.
  for (let round = 0; round < STOP_ROUNDS_MAX; round++) {
    const fresh = (await find(family, known)).filter(({ pid, start }) => known.get(pid) !== start);
    if (fresh.length === 0) break;
    for (const { pid, start } of fresh) {
      known.set(pid, start);
      send(pid, 'SIGSTOP');
    }
  }
  if (known.size > 0) await killUntilGone(family, known);
  return known.size;
}

async function killUntilGone(family: Family, known: Map<number, string>): Promise<void> {
  let empty = 0;
  for (let round = 0; round < KILL_ROUNDS_MAX && empty < EMPTY_LOOKS; round++) {
    const left = await find(family, known);
    empty = left.length === 0 ? empty + 1 : 0;
    for (const { pid, start } of left) {
      known.set(pid, start);
      send(pid, 'SIGKILL');
    }
    if (empty < EMPTY_LOOKS) await wait(LOOK_AGAIN_MS);
  }
}

/** Who of those that are alive belongs to a family: by marker, group, session, parent, or because it did before. */
async function find({ marker, leader }: Family, known: ReadonlyMap<number, string>): Promise<Seen[]> {
  const alive = (await lookAtProcesses()).filter(({ pid }) => pid > 1 && pid !== process.pid);
  const isNear = ({ pid, group, session }: Seen): boolean =>
    leader !== null && (pid === leader || group === leader || session === leader);
  const found = new Set(alive.filter((seen) => isNear(seen) || known.get(seen.pid) === seen.start));
  for (const seen of alive) if (!found.has(seen) && seen.carries(marker)) found.add(seen);
  addDescendants(alive, found);
  return [...found];
}

function addDescendants(alive: readonly Seen[], found: Set<Seen>): void {
  const byParent = grouped(alive);
  // A set that is added to while it is walked is walked to its new end.
  for (const seen of found) for (const child of byParent.get(seen.pid) ?? []) found.add(child);
}

function grouped(alive: readonly Seen[]): Map<number, Seen[]> {
  const byParent = new Map<number, Seen[]>();
  for (const seen of alive) byParent.set(seen.parent, [...(byParent.get(seen.parent) ?? []), seen]);
  return byParent;
}

/** False when there is no such process, or it is somebody else's. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended meanwhile, which is what is wanted
  }
}
