import type { LiveEvent } from '../../hub/protocol/methods/live_methods.js';
import { clean, cleanLine } from '../render/text/clean.js';

/** Takes what the hub tells of the remotes that a conversation is shared over. */
export function createSharedFeed(show: {
  unsent(words: string | null): void;
  note(text: string): Promise<void>;
}): (event: LiveEvent) => Promise<void> {
  const unsent = new Map<string, string>();
  return async (event) => {
    switch (event.kind) {
      case 'remote_state': {
        const words = unsentWords(event);
        if (words === null) unsent.delete(event.remote);
        else unsent.set(event.remote, words);
        show.unsent(unsent.size === 0 ? null : [...unsent.values()].join(', '));
        return;
      }
      case 'tree_stopped':
        await show.note(`(${cleanLine(event.remote)}: ${clean(event.problem)})`);
        return;
    }
  };
}

function unsentWords({ remote, away, to_send: count }: Extract<LiveEvent, { kind: 'remote_state' }>): string | null {
  if (count > 0) return `${remote}: ${count >= COUNTED_MAX ? `${COUNTED_MAX}+` : count} to send`;
  return away ? `${remote}: away` : null;
}

/** More than this are not counted. */
const COUNTED_MAX = 1_000;
