import type { LiveEvent, TurnElsewhere } from '../../hub/protocol/methods/live_methods.js';
import { clean, cleanLine } from '../render/text/clean.js';

/** Takes what the hub tells of the remotes that a conversation is shared over. */
export function createSharedFeed(show: {
  unsent(words: string | null): void;
  note(text: string): Promise<void>;
}): (event: LiveEvent) => Promise<void> {
  const unsent = new Map<string, string>();
  const told = new Map<string, TurnElsewhere['state']>();
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
      case 'turn_elsewhere': {
        const words = turnWords(event, told.get(event.turn));
        if (event.state === 'ended') told.delete(event.turn);
        else told.set(event.turn, event.state);
        if (words !== null) await show.note(`(${words})`);
        return;
      }
    }
  };
}

/** What has become of a turn of another hub since it was told of last; null for nothing that one is told of. */
function turnWords({ state, by, questions }: TurnElsewhere, before: TurnElsewhere['state'] | undefined): string | null {
  if (state === before) return null;
  const whose = `${cleanLine(by)}'s hub`;
  switch (state) {
    case 'running':
      return `${whose} is working here`;
    case 'waiting':
      return `${whose} waits for an answer: ${cleanLine(questions.find(({ answer }) => answer === null)?.question ?? '')}`;
    case 'ended':
      return before === undefined ? null : `${whose} is done here`;
    case 'lost':
      return `${whose} has not been heard of while it worked here: one can go on from the last step`;
  }
}

function unsentWords({ remote, away, to_send: count }: Extract<LiveEvent, { kind: 'remote_state' }>): string | null {
  if (count > 0) return `${remote}: ${count >= COUNTED_MAX ? `${COUNTED_MAX}+` : count} to send`;
  return away ? `${remote}: away` : null;
}

/** More than this are not counted. */
const COUNTED_MAX = 1_000;
