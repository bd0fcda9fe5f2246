import type { LiveEvent, TurnElsewhere } from '../../hub/protocol/methods/live_methods.js';
import type { Question } from '../../hub/protocol/question.js';
import { renderQuestion } from '../render/node/question_text.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { formatBytes } from '../render/text/ids_and_counts.js';

/** Takes what the hub tells of the remotes that a conversation is shared over. */
export function createSharedFeed(show: {
  unsent(words: string | null): void;
  note(text: string): Promise<void>;
  /** Whether the person comes along with a turn, and is shown what it asks. */
  isFollowed(turn: TurnElsewhere['turn']): boolean;
  turn(turn: TurnElsewhere): void;
}): (event: LiveEvent) => Promise<void> {
  const unsent = new Map<string, string>();
  const told = new Map<string, TurnElsewhere['state']>();
  const noteStopped = createStoppedNotes(show.note);
  const showUnsent = (of: string, words: string | null): void => {
    if (words === null) unsent.delete(of);
    else unsent.set(of, words);
    show.unsent(unsent.size === 0 ? null : [...unsent.values()].join(', '));
  };
  return async (event) => {
    switch (event.kind) {
      case 'remote_state':
        return showUnsent(event.remote, unsentWords(event));
      case 'files_state':
        return showUnsent(`${event.remote} files`, filesWords(event));
      case 'tree_stopped':
        return noteStopped(event);
      case 'turn_elsewhere': {
        show.turn(event);
        const words = turnWords(event, told.get(event.turn));
        if (event.state === 'ended') told.delete(event.turn);
        else told.set(event.turn, event.state);
        const isShown = event.state === 'waiting' && event.questions.every(isAnswerable) && show.isFollowed(event.turn);
        if (words !== null && !isShown) await show.note(`(${words})`);
        return;
      }
    }
  };
}

/** Notes once why a tree cannot be gone on with: whoever begins to follow it is told anew. */
function createStoppedNotes(note: (text: string) => Promise<void>) {
  const told = new Set<string>();
  return async ({ remote, problem }: Extract<LiveEvent, { kind: 'tree_stopped' }>): Promise<void> => {
    if (told.has(problem)) return;
    told.add(problem);
    await note(`(${cleanLine(remote)}: ${clean(problem)})`);
  };
}

/** What has become of a turn of another hub since it was told of last; null for nothing that one is told of. */
function turnWords(turn: TurnElsewhere, before: TurnElsewhere['state'] | undefined): string | null {
  const { state, by, remote } = turn;
  if (state === before) return null;
  const whose = `${cleanLine(by)}'s hub`;
  switch (state) {
    case 'running':
      return `${whose} is working here`;
    case 'waiting':
      return questionWords(whose, turn);
    case 'ended':
      return before === undefined ? null : `${whose} ${ENDS[turn.end?.state ?? 'done'] ?? 'is done here'}`;
    case 'lost':
      return `${whose} has not been heard of while it worked here: one can go on from the last step`;
    case 'away':
      return before === undefined ? null : `whether ${whose} goes on here is not known while ${remote} is away`;
  }
}

const ENDS: Readonly<Record<string, string>> = {
  interrupted: 'has been stopped here',
  stopped: 'has come to a limit here',
  failed: 'has failed here',
};

const isAnswerable = ({ kind }: Question): boolean => kind === 'question';

function questionWords(whose: string, { questions }: TurnElsewhere): string {
  const question = questions.find(({ answer }) => answer === null);
  if (question === undefined) return `${whose} waits for an answer`;
  const text = renderQuestion(question);
  return isAnswerable(question)
    ? `${whose} waits for an answer: ${text}\nAnswer it with: /answer and a number, or your own words`
    : `${whose} waits for a permission, which is given there: ${text}`;
}

function unsentWords({ remote, away, to_send: count }: Extract<LiveEvent, { kind: 'remote_state' }>): string | null {
  if (count > 0) return `${remote}: ${count >= COUNTED_MAX ? `${COUNTED_MAX}+` : count} to send`;
  return away ? `${remote}: away` : null;
}

/** How far files are on their way; null where they are not. */
export function filesWords({ remote, bytes, of }: Extract<LiveEvent, { kind: 'files_state' }>): string | null {
  return bytes >= of ? null : `${remote}: files ${formatBytes(bytes)} of ${formatBytes(of)}`;
}

/** More than this are not counted. */
const COUNTED_MAX = 1_000;
