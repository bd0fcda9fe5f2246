import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import type { TurnId } from '../../../hub/protocol/node.js';
import type { Question } from '../../../hub/protocol/question.js';
import type { Conversation } from './conversation.js';
import type { ConversationParts } from './conversation_parts.js';
import { questionOf } from './turn_notes.js';

/** The first question of the turn parked at the position; null for none. */
export async function openQuestion(
  client: Client,
  { turns, place }: Conversation,
): Promise<{ turn: TurnId; question: Question; by: string | undefined } | null> {
  const following = place.following();
  if (turns.current() !== null || following === null) return null;
  const { turns: running } = await client.call('agent.status', { tree: place.tree });
  const asking = running.find(({ turn }) => turn === following);
  const question = asking?.questions.find(({ answer }) => answer === null);
  // A permission to another hub's turn is given there.
  if (question === undefined || (asking?.by !== undefined && question.kind !== 'question')) return null;
  return { turn: following, question, by: asking?.by };
}

/** A permission is valid only for the question that the person has seen. */
export async function mustBeSeen({ front, shownQuestions }: ConversationParts, question: Question): Promise<void> {
  if (question.kind === 'question' || shownQuestions.has(question.id)) return;
  await front.show(questionOf(question));
  shownQuestions.add(question.id);
  throw new HubError('conflict', 'nothing was answered: this had not been asked here yet', {
    hint: 'read it, then answer it: /answer and a number',
  });
}

/** Uses a message as the answer to a question; permissions need their own command. */
export async function answered(
  here: Conversation,
  text: string,
): Promise<'answered' | 'permission_asked' | 'nothing_asked'> {
  const { client, front } = here.parts;
  const open = await openQuestion(client, here);
  if (open === null) return 'nothing_asked';
  const { turn, question, by } = open;
  if (question.kind !== 'question') {
    // A message written for something else is no consent.
    await front.giveBack(text);
    const note = '(it waits for your permission: /answer 1 gives it, /answer 3 does not)';
    await front.show({ kind: 'note', text: note });
    return 'permission_asked';
  }
  const chosen = /^\d{1,2}$/.test(text.trim()) ? question.options[Number(text) - 1] : undefined;
  await front.show({ kind: 'typed_line', text: chosen ?? text });
  here.turns.answer({ turn, call: question.id, answer: chosen ?? text, by: by ?? null });
  return 'answered';
}
