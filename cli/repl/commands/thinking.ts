import { HubError } from '../../../hub/base/error.js';
import { nearest } from '../../../hub/base/nearest_word.js';
import type { ThinkingLevel } from '../../../hub/protocol/turn.js';
import { definitions } from '../../render/text/definitions.js';
import { THINKING, THINKING_LEVELS, thinkingAfter, thinkingNamed } from '../../turn/thinking_choice.js';
import type { Repl, ReplCommand } from '../repl.js';

export const thinkingCommand: ReplCommand = {
  name: 'thinking',
  usage: '[how much]',
  summary: 'how much the model thinks here; with a word, how much from your next message on',
  completes: 'thinking',
  details: async () => Object.entries(THINKING),
  async run(argument, repl) {
    if (argument === '') {
      const now = (await thinkingHere(repl)) ?? 'auto';
      const text = `Here thinking is ${now}. Another amount: /thinking <word>\n${definitions(Object.entries(THINKING), await repl.context.look([]))}`;
      return repl.front.show({ kind: 'text', text });
    }
    const level = thinkingNamed(argument);
    if (level === undefined) throw unknownLevel(argument);
    await repl.front.show({ kind: 'text', text: `${setThinking(repl, level)}\n` });
  },
};

/** How much the next turn thinks; null where nothing has been said or asked yet. */
export async function thinkingHere({ client, turnOptions, conversation }: Repl): Promise<string | null> {
  const { thinking } = turnOptions.change;
  if (thinking != null) return thinking;
  const here = conversation();
  if (!here.isMade()) return null;
  const { settings: sha256 } = await client.call('loom.context_get_settings', { node: here.place.position() });
  if (sha256 === null) return null;
  const { settings } = await client.call('loom.settings_get', { sha256 });
  return typeof settings.thinking === 'string' ? settings.thinking : null;
}

/** Sets the next amount of thinking, in the order of the words; resolves with a word about it. */
export async function switchThinking(repl: Repl): Promise<string> {
  return setThinking(repl, thinkingAfter(await thinkingHere(repl)));
}

export function setThinking({ turnOptions, front }: Repl, thinking: ThinkingLevel): string {
  turnOptions.change = { ...turnOptions.change, thinking };
  turnOptions.chosen = { ...turnOptions.chosen, thinking };
  front.update({ thinking });
  return `From your next message on thinking is ${thinking}: ${THINKING[thinking]}.`;
}

function unknownLevel(argument: string): HubError {
  const near = nearest(argument, THINKING_LEVELS);
  return new HubError(
    'invalid_params',
    `/thinking takes one of ${THINKING_LEVELS.join(', ')}, not ${JSON.stringify(argument)}`,
    {
      hint: near === null ? '/thinking alone tells what they mean' : `did you mean ${near}?`,
    },
  );
}
