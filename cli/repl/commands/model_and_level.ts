import { HubError } from '../../../hub/base/error.js';
import { nearest } from '../../../hub/base/nearest_word.js';
import type { Level } from '../../../hub/protocol/turn.js';
import { definitions } from '../../render/text/definitions.js';
import { reachOf } from '../conversation/chat_turn_options.js';
import { hintInChat } from '../conversation/hint_in_chat.js';
import type { Repl, ReplCommand } from '../repl.js';
import { levelHere } from '../tree/plan_mode.js';

export const modelCommand: ReplCommand = {
  name: 'model',
  usage: '[provider/model]',
  summary: 'which model answers here; with a name, which one does from now on',
  completes: 'model',
  async run(argument, repl) {
    const { turnOptions, front } = repl;
    if (argument === '') return front.show({ kind: 'text', text: await modelText(repl) });
    const change = { ...turnOptions.change, model: argument };
    const model = await modelHere({ ...repl, turnOptions: { ...turnOptions, change } });
    turnOptions.change = change;
    turnOptions.chosen = { ...turnOptions.chosen, model: argument };
    await front.show({ kind: 'text', text: `From your next message on ${model} answers.\n` });
    if (await isUnanswered(repl))
      await front.show({ kind: 'note', text: '(what you said last: /retry has it answered)' });
  },
};

async function modelText(repl: Repl): Promise<string> {
  const { aliases } = await repl.client.call('agent.providers', {});
  const names = aliases.map(({ name, model }) => `  ${name.padEnd(10)} ${model}`).join('\n');
  const listed = `Another one: /model provider/model, or a short name:\n${names}\n`;
  try {
    return `Here ${await modelHere(repl)} answers.\n${listed}`;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return `No model answers here: ${error.message}.\nhint: ${hintInChat(error.hint ?? 'choose a model with: /model')}\n${listed}`;
  }
}

/** The model that would answer at the position; a failure says what is missing. */
export async function modelHere({ client, conversation, turnOptions }: Repl): Promise<string> {
  const here = conversation();
  const node = here.isMade() ? here.place.position() : null;
  const { model } = await client.call('agent.check', { node, ...reachOf(turnOptions) });
  return model;
}

/** Whether the position is a message of a person without a running turn. */
async function isUnanswered({ client, conversation }: Repl): Promise<boolean> {
  const here = conversation();
  if (!here.isMade() || here.turns.current() !== null) return false;
  const { node } = await client.call('loom.node_get', { node: here.place.position() });
  return node.kind === 'text' && node.role === 'user';
}

const LEVELS: Readonly<Record<Level, string>> = {
  minimal: 'reads, writes, edits, runs commands',
  orchestrator: 'all that, and hands work on to sub-sessions',
  readonly: 'only looks: its commands can change nothing',
  plan: 'only looks, writes the plan, and may ask you',
};
const USUAL: Level = 'orchestrator';

export const levelCommand: ReplCommand = {
  name: 'level',
  usage: '[name]',
  summary: 'what the model may do here; with a name, what it may from your next message on',
  completes: 'level',
  details: async () => Object.entries(LEVELS),
  async run(argument, repl) {
    const { turnOptions, front, context } = repl;
    if (argument === '') {
      const now = (await levelHere(repl)) ?? USUAL;
      const text = `Here the level is ${now}. Another one: /level <name>\n${definitions(Object.entries(LEVELS), await context.look([]))}`;
      return front.show({ kind: 'text', text });
    }
    const level = levelNamed(argument);
    turnOptions.change = { ...turnOptions.change, level };
    turnOptions.chosen = { ...turnOptions.chosen, level };
    await front.show({ kind: 'text', text: `From your next message on the level is ${level}: ${LEVELS[level]}.\n` });
  },
};

function levelNamed(argument: string): Level {
  const names: readonly Level[] = ['minimal', 'orchestrator', 'readonly', 'plan'];
  const level = names.find((one) => one === argument.toLowerCase());
  if (level !== undefined) return level;
  const near = nearest(argument, names);
  throw new HubError('invalid_params', `/level takes one of ${names.join(', ')}, not ${JSON.stringify(argument)}`, {
    hint: near === null ? '/level alone tells what they mean' : `did you mean ${near}?`,
  });
}

export const reloadCommand: ReplCommand = {
  name: 'reload',
  usage: '',
  summary: 'read the instructions and skills of the project anew, for what follows',
  completes: null,
  async run(_, { turnOptions, front, conversation }) {
    turnOptions.change = { ...turnOptions.change, reload: true };
    conversation().parts.toldFiles.clear();
    await front.show({ kind: 'text', text: 'Instructions and skills are read anew with your next message.\n' });
  },
};
