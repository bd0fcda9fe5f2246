import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, Tree, TurnId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { answerCommand, renderQuestion } from '../render/node/question_text.js';

/** How many of the newest turns are searched. */
const TURNS_MAX = 200;

/** Where to continue the turn of a position: from its last step, or by watching it when it still runs. */
export async function unfinishedTurn(
  context: Context,
  tree: Tree,
  position: NodeId,
): Promise<{ node: NodeId; running: TurnId | null }> {
  const client = await context.client();
  const { turns } = await client.call('loom.turn_list', { tree: tree.id, limit: TURNS_MAX });
  const turn = turns.find(({ node, tip }) => tip === position || node === position);
  if (turn === undefined) return { node: position, running: await requireUnanswered(context, position) };
  if (turn.state === 'running') return { node: position, running: turn.id };
  if (turn.state === 'waiting') throw await awaitsAnswer(context, turn.id);
  if (turn.state === 'done' && turn.tip !== position) throw nothingUnfinished();
  // Below a summary there is an answer to come, all the more when one was interrupted before.
  if (turn.state === 'done') return { node: position, running: await requireUnanswered(context, position) };
  return { node: turn.tip, running: null };
}

/** Requires a message without an answer at the position: after an answer nothing is unfinished. */
async function requireUnanswered(context: Context, position: NodeId): Promise<null> {
  const client = await context.client();
  const { node } = await client.call('loom.node_get', { node: position });
  if (node.role === 'assistant' || node.role === 'root') throw nothingUnfinished();
  return null;
}

/** The error for a parked turn, which continues only with an answer. */
async function awaitsAnswer(context: Context, turn: TurnId): Promise<HubError> {
  const client = await context.client();
  const { parked } = await client.call('loom.turn_get', { turn });
  const open = (parked?.questions ?? []).filter(({ answer }) => answer === null);
  return new HubError('approval_needed', `it waits for an answer: ${open.map(renderQuestion).join('\n')}`, {
    hint: `answer it with: ${answerCommand(open)}`,
    details: { turn, questions: open.map(({ id }) => id) },
  });
}

function nothingUnfinished(): HubError {
  return new HubError('conflict', 'nothing was interrupted here: there is nothing to finish', {
    hint: ['to say something: ', cliCommand('ask', '@', '"message"')],
  });
}
