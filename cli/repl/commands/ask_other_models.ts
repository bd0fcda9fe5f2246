import { HubError } from '../../../hub/base/error.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { groupMembers } from '../../group/group_members.js';
import { groupThink } from '../../group/group_think.js';
import { createGroupTurns, type GroupParts } from '../../group/group_turns.js';
import { lanesIn } from '../../race/lanes.js';
import { costLine } from '../../render/reports/group_cost.js';
import { clean, cleanLine } from '../../render/text/clean.js';
import { addToSession } from '../../turn/session_turn.js';
import { commandKeys, reachOf } from '../conversation/chat_turn_options.js';
import type { Repl, ReplCommand } from '../repl.js';

const ROUNDS = 2;

export const consultCommand: ReplCommand = {
  name: 'consult',
  usage: '<model> <question>',
  summary: 'ask another model beside the conversation: it only looks, and you stay where you are',
  completes: 'model',
  async run(argument, repl) {
    const { names, question } = wordsIn(argument, '/consult takes a model and a question');
    await beside(repl, async (parts, at) => {
      const [member] = await groupMembers(parts.context, parts.options, [names]);
      if (member === undefined) return;
      const { options, context } = parts;
      const message = { session: null, at, text: question, files: [], change: member.change };
      const place = await addToSession(context, options, { ...message, isModel: member.agent === null });
      const turns = createGroupTurns(parts, repl.client, place);
      const { text } = await turns.answer(member, place.node);
      await showAnswer(repl, text, turns.spent());
    });
  },
};

export const groupCommand: ReplCommand = {
  name: 'group',
  usage: '<model,model> <question>',
  summary: 'have several models think about a question in rounds, and one put it together, beside the conversation',
  completes: null,
  async run(argument, repl) {
    const { names, question } = wordsIn(argument, '/group takes models with commas between them, and a question');
    await beside(repl, async (parts, at) => {
      const members = await groupMembers(parts.context, parts.options, lanesIn(names));
      const request = { question, members, rounds: ROUNDS, session: null, at, files: [], outputFormat: null };
      const answer = await groupThink(parts, request);
      await showAnswer(repl, answer.text, answer);
    });
  },
};

function wordsIn(argument: string, problem: string): { names: string; question: string } {
  const [, names = '', question = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
  if (question !== '') return { names, question };
  throw new HubError('invalid_params', problem, { hint: '/group sonnet,gpt which database fits?' });
}

/** Runs something beside the conversation, at the position in it; /stop and Ctrl-C end it. */
async function beside(
  repl: Repl,
  run: (parts: GroupParts, at: { tree: TreeId; node: NodeId }) => Promise<void>,
): Promise<void> {
  const { context, turnOptions, asides, front } = repl;
  const here = repl.conversation();
  await here.ensure();
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  const { chosen: _, transcriptFile: __, ...ofTurn } = turnOptions;
  const options = { ...ofTurn, ...reachOf(turnOptions), transcript: null };
  const tell = (line: string): void => context.note(cleanLine(line));
  asides.add(stop);
  try {
    const parts = { context, options, keys: commandKeys({ context, front }, turnOptions), signal: abort.signal, tell };
    await run(parts, { tree: here.place.tree, node: here.place.position() });
  } finally {
    asides.delete(stop);
  }
}

async function showAnswer({ front, context }: Repl, text: string, cost: Parameters<typeof costLine>[0]): Promise<void> {
  await front.show({ kind: 'text', text: `${clean(text).trimEnd()}\n` });
  context.note(`It is a branch of its own. ${costLine(cost)}`);
}
