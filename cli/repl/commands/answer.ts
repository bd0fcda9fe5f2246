import { HubError } from '../../../hub/base/error.js';
import { isAtHub } from '../../sharing/turn_at_hub.js';
import { mustBeSeen } from '../conversation/open_question.js';
import { answerAtHub, refusePermission } from '../conversation/other_hubs.js';
import type { ReplCommand } from '../repl.js';

export const answerCommand: ReplCommand = {
  name: 'answer',
  usage: '<number or words>',
  summary: 'answer what the model asks',
  completes: null,
  async run(argument, repl) {
    const { turns, place, parts } = repl.conversation();
    const status = await repl.client.call('agent.status', { tree: place.tree });
    const asking = status.turns.find(({ turn, questions }) => turn === place.following() && questions.length > 0);
    const isOpen = ({ questions }: { questions: { answer: string | null }[] }): boolean =>
      questions.some(({ answer }) => answer === null);
    const open = asking ?? status.turns.find(isOpen);
    const question = open?.questions.find(({ answer }) => answer === null);
    if (open === undefined || question === undefined) {
      throw new HubError('not_found', 'nothing is asked here', { hint: 'to say something, just type it' });
    }
    if (argument === '')
      throw new HubError('invalid_params', `it asks: ${question.question}`, { hint: '/answer your words' });
    const isNumber = /^\d{1,2}$/.test(argument);
    const chosen = isNumber ? question.options[Number(argument) - 1] : undefined;
    const { length } = question.options;
    if (isNumber && length > 0 && chosen === undefined) {
      throw new HubError('invalid_params', `there is no answer ${argument}: they are numbered from 1 to ${length}`, {
        hint: 'or say it in your own words: /answer your words',
      });
    }
    if (isAtHub(open)) {
      refusePermission(open, question);
      return answerAtHub(repl.conversation(), open, { question, words: chosen ?? argument });
    }
    await mustBeSeen(parts, question);
    turns.answer({ turn: open.turn, call: question.id, answer: chosen ?? argument });
  },
};
