import { HubError } from '../../base/error.js';
import { type Contribution, roundWords, synthesisWords } from '../../base/group/group_words.js';
import type { EndedSubSession, SubSessions } from '../sub_sessions/session_call.js';
import type { CallResult, CallSurroundings } from '../tools/model_call.js';
import type { ToolInputs } from '../tools/tool_definitions.js';
import type { OtherCall } from './other_call.js';

const ROUNDS_USUAL = 2;

interface Seat extends Contribution {
  provider: string;
  /** Where it goes on: each has a tree of its own. */
  place: EndedSubSession['place'] | null;
  failure: string | null;
}

/** Has several models answer a question in rounds, and the first that can put it together; each only looks. */
export async function groupThink(
  sessions: SubSessions,
  { asking, input }: { asking: OtherCall; input: ToolInputs['group_think'] },
  around: CallSurroundings,
): Promise<CallResult> {
  const { models, question, rounds = ROUNDS_USUAL } = input;
  const seats = models.map((provider, at): Seat => {
    const isAgain = models.filter((one) => one === provider).length > 1;
    return { provider, label: isAgain ? `${provider} ${at + 1}` : provider, text: '', place: null, failure: null };
  });

  async function say(seat: Seat, words: string): Promise<EndedSubSession> {
    const { provider, place } = seat;
    const task = place === null ? `${question}\n\n${words}` : words;
    return sessions.ask({ ...asking, level: 'readonly', input: { provider, task }, place }, around);
  }

  async function takeRound(seat: Seat, round: number, before: readonly Contribution[]): Promise<void> {
    const others = before.filter(({ label }) => label !== seat.label);
    try {
      const ended = await say(seat, roundWords(round, seat.label, others));
      requireAnswer(ended);
      Object.assign(seat, { text: ended.text, place: ended.place });
    } catch (error) {
      if (!(error instanceof HubError) || around.signal.aborted) throw error;
      seat.failure = error.message;
    }
  }

  for (let round = 1; round <= rounds; round += 1) {
    const live = seats.filter(({ failure }) => failure === null);
    const before = live.map(({ label, text }) => ({ label, text }));
    await Promise.all(live.map((seat) => takeRound(seat, round, before)));
  }
  const spoken = seats.filter(({ text }) => text !== '');
  const [first] = [...spoken].sort((one, other) => Number(one.failure !== null) - Number(other.failure !== null));
  if (first === undefined) {
    const reasons = seats.map(({ label, failure }) => `${label}: ${failure}`).join('; ');
    throw new HubError('unreachable', `group_think: no model could answer: ${reasons}`);
  }
  const failed = seats.flatMap(({ label, failure }) => (failure === null ? [] : [`${label} gave up: ${failure}`]));
  const ended = await say(first, synthesisWords(spoken, null));
  return ended.result([`put together by ${first.label}`, ...failed].join('; '));
}

function requireAnswer({ state, text, reason }: EndedSubSession): void {
  if (state === 'done' && text.trim() !== '') return;
  throw new HubError('unreachable', reason);
}
