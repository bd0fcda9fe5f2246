import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { detach, neverFails } from '../../../hub/base/detach.js';
import type { AgentId } from '../../../hub/protocol/outside_agent.js';
import { killFamily } from '../../process/end_family.js';
import { valueOrNull } from '../../sandbox/attempt.js';
import type { Speaker } from './speaker.js';

const KEPT_NAME = /^([0-9a-f]{32})\.kept$/;

/** Processes that wait for the next exchange: how many, and for how long. */
const KEPT_MAX = 4;
const KEPT_MS_MAX = 300_000;

/** The processes between exchanges, each by all that it was started with. */
export interface KeptSpeakers {
  /** One that waits under this key, which is in use from now on; null for none. */
  take(key: string): Speaker | null;
  keep(key: string, speaker: Speaker): void;
  /** Says that a process speaks; the result, that it has ended or waits. */
  use(speaker: Speaker): () => void;
  /** Resolves when no process speaks in a session: one that was stopped may take a moment. */
  freed(session: AgentId): Promise<void>;
  count(): number;
  endAll(): Promise<void>;
}

/** Ends what an earlier process has kept: without a sandbox nothing else ends with it. */
export async function endLeftSpeakers(folder: string): Promise<void> {
  for (const name of valueOrNull(() => readdirSync(folder)) ?? []) {
    const [, marker] = KEPT_NAME.exec(name) ?? [];
    if (marker === undefined) continue;
    await killFamily({ marker, leader: null });
    rmSync(join(folder, name), { force: true });
  }
}

/** In the folder a file names each process that waits. */
export function createKeptSpeakers(folder: string): KeptSpeakers {
  const fileOf = ({ marker }: Speaker): string => join(folder, `${marker}.kept`);

  // A map keeps insertion order: the first one has waited longest.
  const waiting = new Map<string, { speaker: Speaker; timer: NodeJS.Timeout }>();

  function remove(key: string): Speaker | null {
    const found = waiting.get(key);
    if (found === undefined) return null;
    clearTimeout(found.timer);
    waiting.delete(key);
    return found.speaker;
  }

  async function endAndForget(speaker: Speaker): Promise<void> {
    await speaker.end();
    rmSync(fileOf(speaker), { force: true });
  }

  function end(key: string): void {
    const speaker = remove(key);
    if (speaker !== null) detach(endAndForget(speaker), neverFails);
  }

  const used = new Map<Speaker, Promise<void>>();

  return {
    use(speaker) {
      let free = (): void => undefined;
      used.set(speaker, new Promise((resolve) => (free = resolve)));
      return () => {
        used.delete(speaker);
        free();
      };
    },
    async freed(session) {
      const others = [...used].filter(([speaker]) => speaker.session() === session);
      await Promise.all(others.map(([, ended]) => ended));
    },
    take(key) {
      const speaker = remove(key);
      if (speaker !== null) rmSync(fileOf(speaker), { force: true });
      return speaker?.isAlive() === true ? speaker : null;
    },
    keep(key, speaker) {
      end(key);
      // On a full disk it is ended all the same, but for a process that is killed.
      valueOrNull(() => writeFileSync(fileOf(speaker), ''));
      for (const oldest of [...waiting.keys()].slice(0, Math.max(0, waiting.size + 1 - KEPT_MAX))) end(oldest);
      const timer = setTimeout(() => end(key), KEPT_MS_MAX);
      timer.unref();
      waiting.set(key, { speaker, timer });
    },
    count: () => waiting.size,
    async endAll() {
      const speakers = [...waiting.keys()].flatMap((key) => remove(key) ?? []);
      await Promise.all(speakers.map(endAndForget));
    },
  };
}
