import { HubError } from '../../../hub/base/error.js';
import type { Question } from '../../../hub/protocol/question.js';
import { cleanLine } from '../../render/text/clean.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import { comingAlong, isAtHub, type TurnAtHub } from '../../sharing/turn_at_hub.js';
import type { Conversation } from './conversation.js';
import type { TypedMessage } from './turn_inputs.js';

/** The turn of another hub that goes on at the end of what is on display; null for none, and where one has forked. */
async function turnOnDisplay({ parts, place, feed }: Conversation): Promise<TurnAtHub | null> {
  if (!feed.hasTurnsAtHubs() || place.isForked()) return null;
  const { turns } = await parts.client.call('agent.status', { tree: place.tree });
  const here = turns.filter(isAtHub).filter(({ turn, tip }) => feed.isWatched(turn) || tip === place.position());
  return here.at(-1) ?? null;
}

/** Says to the turn of another hub what a person types while that goes on before them; false when there is none. */
export async function saidAtHub(here: Conversation, said: TypedMessage, kind: 'steer' | 'after'): Promise<boolean> {
  const { parts, turns } = here;
  if (!parts.front.attended) return false;
  const found = await turnOnDisplay(here);
  if (found === null) return false;
  const question = found.questions.find(({ answer }) => answer === null);
  if (question !== undefined) {
    refusePermission(found, question);
    await parts.front.show({ kind: 'note', text: `(this answers what ${cleanLine(found.by)}'s hub asks)` });
    answerAtHub(here, found, { question, words: chosenOf(question, said.text) });
    return true;
  }
  await parts.front.show({ kind: 'note', text: comingAlong(found) });
  here.join(found.turn, found);
  try {
    return await turns.steer(said, kind);
  } catch (error) {
    // Who may not say anything there does not come along.
    turns.part();
    throw error;
  }
}

export function answerAtHub(
  { turns, place }: Conversation,
  { turn, by }: TurnAtHub,
  { question, words }: { question: Question; words: string },
): void {
  place.advance(place.position(), turn);
  turns.answer({ turn, call: question.id, answer: words, by });
}

/** What may run on a machine is decided at that alone. */
export function refusePermission({ by }: TurnAtHub, { kind }: Question): void {
  if (kind === 'question') return;
  throw new HubError('unauthorised', `${cleanLine(by)}'s hub waits for a permission, which is given there`, {
    hint: 'to say something beside it: /fork, or stop it with /stop',
  });
}

function chosenOf({ options }: Question, text: string): string {
  return (/^\d{1,2}$/.test(text.trim()) ? options[Number(text) - 1] : undefined) ?? text;
}

/** Stops the turn of another hub that is on display; false when there is none anywhere. */
export async function stopAtHub(here: Conversation): Promise<boolean> {
  const { front, client } = here.parts;
  const found = await turnOnDisplay(here);
  if (found === null) return tellOthers(here);
  await front.show({ kind: 'note', text: `(stopping what ${cleanLine(found.by)}'s hub does here)` });
  await client.call('agent.stop', { turn: found.turn });
  return true;
}

/** Names the turns of other hubs that are not on display, which nobody means. */
async function tellOthers({ parts, place, feed }: Conversation): Promise<boolean> {
  if (!feed.hasTurnsAtHubs()) return false;
  const { turns } = await parts.client.call('agent.status', { tree: place.tree });
  const others = turns.filter(isAtHub);
  for (const { by, tip } of others) {
    const text = `(${cleanLine(by)}'s hub works elsewhere in this conversation; to stop it: /switch ${shortId(tip)}, then /stop)`;
    await parts.front.show({ kind: 'note', text });
  }
  return others.length > 0;
}
