import { createMessageGrowth, type GrowingMessage, SMALL_BYTES } from './message_growth.js';

/** The most bytes that the hub holds for all connections: begun and unanswered messages, and what was not read. */
export const HELD_BYTES_MAX = 96 * 1024 * 1024;
/** From here on large messages arrive one by one, and readers must be less far behind: no honest caller makes it much more. */
const TIGHT_BYTES = 32 * 1024 * 1024;
/** From here on who has not read for so long is dropped. */
const STALLED_BYTES_MAX = 40 * 1024 * 1024;
const STALLED_MS = 1_000;
/** How long a message may take to arrive; the shorter time while others wait for it. */
const MESSAGE_MS_MAX = 60_000;
const MESSAGE_MS_MAX_TIGHT = 5_000;

/** What the hub holds for one connection. */
export interface Held {
  /** Bytes of a message that has not arrived in whole. */
  arriving: number;
  /** Bytes of messages that are not answered yet. */
  answering: number;
  /** Bytes that it has not read. */
  unread: number;
}

export interface HolderActions {
  /** Whether it is never held back and never dropped. */
  isTrusted(): boolean;
  /** Stops or continues reading from it. */
  holdBack(isOn: boolean): void;
  drop(reason: string): void;
}

/** One connection's part of it. */
export interface HeldAccount {
  hold(held: Held): void;
  close(): void;
}

/** The bytes that the hub holds for all connections. When they are too many, the worst connection is dropped. */
export interface HeldBytes {
  open(actions: HolderActions): HeldAccount;
  /** Whether so many are held that nobody should get far behind. */
  isTight(): boolean;
  total(): number;
}

interface Entry extends Held, GrowingMessage {
  actions: HolderActions;
  /** Since when it has not read anything. */
  unreadSinceMs: number;
}

const NOTHING = { arriving: 0, answering: 0, unread: 0, arrivingSinceMs: 0, unreadSinceMs: 0, isHeldBack: false };

interface HeldBytesParts {
  nowMs(): number;
  /** Has something done in a second or so. */
  later(check: () => void): void;
}

export function createHeldBytes({ nowMs, later }: HeldBytesParts): HeldBytes {
  const entries = new Set<Entry>();
  let total = 0;
  let isCheckDue = false;
  const isTight = (): boolean => total > TIGHT_BYTES;
  const growth = createMessageGrowth<Entry>({ messages: entries, isTight, nowMs });

  function hold(entry: Entry, held: Held): void {
    if (!entries.has(entry)) return;
    noteTimes(entry, held, nowMs());
    total -= bytesOf(entry);
    Object.assign(entry, held);
    total += bytesOf(entry);
    growth.changed(entry);
    relieve();
    scheduleCheck();
  }

  function relieve(): void {
    while (total > STALLED_BYTES_MAX && dropLargest(stalledOf(entries, nowMs())));
    while (total > HELD_BYTES_MAX && dropLargest([...entries]));
  }

  function close(entry: Entry): void {
    if (!entries.delete(entry)) return;
    total -= bytesOf(entry);
    growth.closed(entry);
  }

  function drop(entry: Entry, reason: string): void {
    close(entry);
    entry.actions.drop(reason);
  }

  function dropLargest(among: readonly Entry[]): boolean {
    const largest = largestOf(among);
    if (largest !== undefined)
      drop(largest, `${offenceOf(largest)} the most of ${total} bytes that the hub holds for all connections`);
    return largest !== undefined;
  }

  function scheduleCheck(): void {
    if (total === 0 || isCheckDue) return;
    isCheckDue = true;
    later(check);
  }

  function check(): void {
    isCheckDue = false;
    relieve();
    for (const entry of entries) {
      const mostMs = growth.growing() === entry ? MESSAGE_MS_MAX_TIGHT : MESSAGE_MS_MAX;
      if (arrivesFor(mostMs, entry, nowMs())) drop(entry, `takes longer than ${mostMs / 1_000} s to send a message`);
    }
    scheduleCheck();
  }

  return {
    open(actions) {
      const entry: Entry = { actions, ...NOTHING };
      entries.add(entry);
      return { hold: (held) => hold(entry, held), close: () => close(entry) };
    },
    isTight,
    total: () => total,
  };
}

const bytesOf = ({ arriving, answering, unread }: Held): number => arriving + answering + unread;

function noteTimes(entry: Entry, held: Held, now: number): void {
  if (entry.arriving === 0 || held.arriving === 0) entry.arrivingSinceMs = now;
  if (entry.unread === 0 || held.unread < entry.unread) entry.unreadSinceMs = now;
}

function offenceOf(entry: Entry): string {
  return entry.unread * 2 > bytesOf(entry) ? 'has not read' : 'has sent';
}

function arrivesFor(longerThanMs: number, entry: Entry, now: number): boolean {
  if (entry.arriving === 0 || entry.isHeldBack || entry.actions.isTrusted()) return false;
  return now - entry.arrivingSinceMs > longerThanMs;
}

function largestOf(entries: readonly Entry[]): Entry | undefined {
  const all = entries.filter(({ actions }) => !actions.isTrusted());
  return all.sort((one, other) => bytesOf(other) - bytesOf(one))[0];
}

function stalledOf(entries: ReadonlySet<Entry>, now: number): Entry[] {
  return [...entries].filter(({ unread, unreadSinceMs }) => unread > SMALL_BYTES && now - unreadSinceMs > STALLED_MS);
}
