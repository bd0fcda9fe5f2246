import { HubError } from '../../../hub/base/error.js';
import { rootOf } from '../../position/reference.js';
import type { ReplCommand } from '../repl.js';
import { messagesBack } from '../tree/ancestors.js';
import { MOVE_WORDS, move, moveWordsIn } from '../tree/move.js';

const MESSAGES_MAX = 1_000_000;

export const backCommand: ReplCommand = {
  name: 'back',
  usage: '[n]',
  summary: 'go back over n messages: from an answer, 1 is its question',
  completes: null,
  details: async () => MOVE_WORDS,
  async run(argument, repl) {
    const { rest, words } = moveWordsIn(argument);
    const count = rest === '' ? 1 : Number(rest);
    if (!Number.isInteger(count) || count < 1 || count > MESSAGES_MAX) {
      throw new HubError('invalid_params', `/back takes a number of messages, not ${JSON.stringify(argument)}`, {
        hint: '/back 2; to go to a certain node: /goto <node>',
      });
    }
    const here = repl.conversation();
    await here.ensure();
    const { place, parts } = here;
    if (place.position() === rootOf(place.tree)) {
      return repl.front.show({ kind: 'text', text: 'You are at the beginning: there is nothing to go back to.\n' });
    }
    const node = await messagesBack(parts.client, place.position(), count);
    await move(repl, node, words);
  },
};
