import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const CODE_MS_MAX = 120_000;
/** Links that are remembered, so that a second use of one is known as such. */
const CODES_MAX = 100;
const SECRET_BYTES = 32;

/** What became of a code that a page brought. */
export type Entry = { kind: 'entered'; key: string } | { kind: 'unknown' } | { kind: 'late' } | { kind: 'twice' };

/** A page that has entered, until its code is used a second time. */
export interface PageSession {
  isOpen(): boolean;
  /** Calls a listener when it ends; the result removes the listener. */
  onEnd(listener: () => void): () => void;
}

export interface Codes {
  /** A code of 256 bits, which opens one session within two minutes. */
  issue(): string;
  /** Trades a code for a key. Whoever comes second with it ends the session of the first: one of the two has stolen it. */
  enter(code: string): Entry;
  /** The open session of a key. */
  sessionOf(key: string): PageSession | null;
}

interface Issued {
  code: Buffer;
  issuedAtMs: number;
  /** Null until the code is used. */
  opened: { key: Buffer; session: OwnedSession } | null;
}

/** Keeps codes and keys in memory alone, by their hashes. */
export function createCodes(nowMs: () => number): Codes {
  const issued: Issued[] = [];

  return {
    issue() {
      const code = secret();
      issued.push({ code: hashOf(code), issuedAtMs: nowMs(), opened: null });
      for (const forgotten of issued.splice(0, issued.length - CODES_MAX)) forgotten.opened?.session.end();
      return code;
    },
    enter(code) {
      const found = matching(issued, hashOf(code), (one) => one.code);
      if (found === null) return { kind: 'unknown' };
      if (found.opened !== null) {
        found.opened.session.end();
        return { kind: 'twice' };
      }
      if (nowMs() - found.issuedAtMs > CODE_MS_MAX) return { kind: 'late' };
      const key = secret();
      found.opened = { key: hashOf(key), session: createSession() };
      return { kind: 'entered', key };
    },
    sessionOf(key) {
      const opened = issued.flatMap((one) => one.opened ?? []);
      const session = matching(opened, hashOf(key), (one) => one.key)?.session ?? null;
      return session?.isOpen() === true ? session : null;
    },
  };
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function hashOf(secretText: string): Buffer {
  return createHash('sha256').update(secretText).digest();
}

/** Compares with each, so that the time tells nothing of where one matched. */
function matching<T>(all: readonly T[], hash: Buffer, hashIn: (one: T) => Buffer): T | null {
  let found: T | null = null;
  for (const one of all) if (timingSafeEqual(hashIn(one), hash)) found = one;
  return found;
}

interface OwnedSession extends PageSession {
  end(): void;
}

function createSession(): OwnedSession {
  const listeners = new Set<() => void>();
  let isOpen = true;
  return {
    isOpen: () => isOpen,
    onEnd(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    end() {
      isOpen = false;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
