import { detach, neverFails } from '../../../hub/base/detach.js';
import type { Speaker } from './speaker.js';

/** Processes that wait for the next exchange: how many, and for how long. */
const KEPT_MAX = 4;
const KEPT_MS_MAX = 300_000;

/** The processes between exchanges, each by all that it was started with. */
export interface KeptSpeakers {
  /** One that waits under this key, which is in use from now on; null for none. */
  take(key: string): Speaker | null;
  keep(key: string, speaker: Speaker): void;
  count(): number;
  endAll(): Promise<void>;
}

export function createKeptSpeakers(): KeptSpeakers {
  // A map keeps insertion order: the first one has waited longest.
  const waiting = new Map<string, { speaker: Speaker; timer: NodeJS.Timeout }>();

  function remove(key: string): Speaker | null {
    const found = waiting.get(key);
    if (found === undefined) return null;
    clearTimeout(found.timer);
    waiting.delete(key);
    return found.speaker;
  }

  function end(key: string): void {
    const speaker = remove(key);
    if (speaker !== null) detach(speaker.end(), neverFails);
  }

  return {
    take(key) {
      const speaker = remove(key);
      return speaker?.isAlive() === true ? speaker : null;
    },
    keep(key, speaker) {
      end(key);
      for (const oldest of [...waiting.keys()].slice(0, Math.max(0, waiting.size + 1 - KEPT_MAX))) end(oldest);
      const timer = setTimeout(() => end(key), KEPT_MS_MAX);
      timer.unref();
      waiting.set(key, { speaker, timer });
    },
    count: () => waiting.size,
    async endAll() {
      const speakers = [...waiting.keys()].flatMap((key) => remove(key) ?? []);
      await Promise.all(speakers.map((speaker) => speaker.end()));
    },
  };
}
