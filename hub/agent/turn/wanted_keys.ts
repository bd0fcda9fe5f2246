import { onAbort } from '../../base/abort.js';

/** Time for a person to type a passphrase, and more. */
const GIVEN_MS_MAX = 150_000;

/** The keys that the caller of a turn gets while it runs. */
export interface WantedKeys {
  /** Resolves with the key of a server; with null where there is none, or nobody says so in time. */
  want(provider: string, signal: AbortSignal): Promise<string | null>;
  give(provider: string, key: string | null): void;
}

/** `tell` asks the caller, once for all who want the same key at a time. */
export function createWantedKeys(tell: (provider: string) => void): WantedKeys {
  const waiting = new Map<string, Set<(key: string | null) => void>>();
  const give = (provider: string, key: string | null): void => {
    const heard = waiting.get(provider);
    waiting.delete(provider);
    for (const hear of heard ?? []) hear(key);
  };
  return {
    give,
    want(provider, signal) {
      return new Promise((resolve) => {
        const others = waiting.get(provider);
        const heard = others ?? new Set();
        waiting.set(provider, heard);
        const stopListening = onAbort(AbortSignal.any([signal, AbortSignal.timeout(GIVEN_MS_MAX)]), () => hear(null));
        const hear = (key: string | null): void => {
          stopListening();
          heard.delete(hear);
          resolve(key);
        };
        heard.add(hear);
        if (others === undefined) tell(provider);
      });
    },
  };
}
