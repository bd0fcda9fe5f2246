import { HubError } from '../../../hub/base/error.js';
import { nearest } from '../../../hub/base/nearest_word.js';
import type { Level } from '../../../hub/protocol/turn.js';
import { cleanLine } from '../../render/text/clean.js';
import { definitions } from '../../render/text/definitions.js';
import { reachOf } from '../conversation/chat_turn_options.js';
import { hintInChat } from '../conversation/hint_in_chat.js';
import type { Repl, ReplCommand } from '../repl.js';
import { levelHere } from '../tree/plan_mode.js';
import { DEMO_SAID, NOTES_ONLY, WHERE_KEYS_GO } from './model_offer.js';

const DEMO = 'demo/demo';

export const modelCommand: ReplCommand = {
  name: 'model',
  usage: '[provider/model | --key | --none]',
  summary:
    'which model answers here; with a name, which one does from now on; --key: where a key goes; --none: notes only',
  completes: 'model',
  async run(argument, repl) {
    const { front } = repl;
    if (argument === '') return front.show({ kind: 'text', text: await modelText(repl) });
    if (argument === '--key') return front.show({ kind: 'text', text: WHERE_KEYS_GO });
    if (argument === '--none') return front.show({ kind: 'text', text: NOTES_ONLY });
    const model = await setModel(repl, argument);
    if (repl.conversation().turns.current() === null) front.update({ model });
    await front.show({ kind: 'text', text: `From your next message on ${model} answers.\n` });
    if (model === DEMO) await front.show({ kind: 'note', text: DEMO_SAID });
    if (await isUnanswered(repl))
      await front.show({ kind: 'note', text: '(what you said last: /retry has it answered)' });
  },
};

/** Sets the model of what is said next; resolves with its whole name, and fails where it cannot be asked. */
export async function setModel(repl: Repl, name: string): Promise<string> {
  const { turnOptions } = repl;
  const change = { ...turnOptions.change, model: name };
  const model = await modelHere({ ...repl, turnOptions: { ...turnOptions, change } });
  turnOptions.change = change;
  turnOptions.chosen = { ...turnOptions.chosen, model: name };
  return model;
}

async function modelText(repl: Repl): Promise<string> {
  const { aliases } = await repl.client.call('agent.providers', { access: repl.turnOptions.access });
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

export const LEVELS: Readonly<Record<Level, string>> = {
  minimal: 'reads, writes, edits, runs commands',
  orchestrator: 'all that, and hands work on to sub-sessions',
  readonly: 'only looks: its commands can change nothing',
  plan: 'only looks, writes the plan, and may ask you',
  ask: 'asks you before each change of a file and each command',
};
export const LEVEL_NAMES: readonly Level[] = ['minimal', 'orchestrator', 'readonly', 'plan', 'ask'];
export const USUAL: Level = 'orchestrator';

export const webCommand: ReplCommand = {
  name: 'web',
  usage: '[on|off]',
  summary: 'whether the model may read pages of the internet; with a word, from your next message on',
  completes: null,
  async run(argument, repl) {
    const { turnOptions, front } = repl;
    if (argument === '') {
      const text = (await hasWebHere(repl)) ? 'Pages may be read here: /web off' : 'No pages are read here: /web on';
      return front.show({ kind: 'text', text: `${text} changes that.\n` });
    }
    if (argument !== 'on' && argument !== 'off') {
      throw new HubError('invalid_params', `/web takes on or off, not ${JSON.stringify(argument)}`);
    }
    const web = argument === 'on';
    turnOptions.change = { ...turnOptions.change, web };
    turnOptions.chosen = { ...turnOptions.chosen, web };
    const may = web ? 'may read pages of the internet; its commands still have no network' : 'reads no pages';
    await front.show({ kind: 'text', text: `From your next message on the model ${may}.\n` });
  },
};

/** Whether the next turn reads pages. */
async function hasWebHere({ client, turnOptions, conversation }: Repl): Promise<boolean> {
  if (turnOptions.change.web != null) return turnOptions.change.web;
  const here = conversation();
  if (!here.isMade()) return false;
  const { settings: sha256 } = await client.call('loom.context_get_settings', { node: here.place.position() });
  if (sha256 === null) return false;
  const { settings } = await client.call('loom.settings_get', { sha256 });
  return settings.tools.some((tool) => Object(tool).name === 'fetch');
}

export const levelCommand: ReplCommand = {
  name: 'level',
  usage: '[name]',
  summary: 'what the model may do here; with a name, what it may from your next message on',
  completes: 'level',
  details: async () => Object.entries(LEVELS),
  async run(argument, repl) {
    const { front, context } = repl;
    if (argument === '') {
      const now = (await levelHere(repl)) ?? USUAL;
      const permitted = now === 'ask' ? await permittedHere(repl) : '';
      const text = `Here the level is ${now}. ${permitted}Another one: /level <name>\n${definitions(Object.entries(LEVELS), await context.look([]))}`;
      return front.show({ kind: 'text', text });
    }
    const level = levelNamed(argument);
    setLevel(repl, level);
    await front.show({ kind: 'text', text: `From your next message on the level is ${level}: ${LEVELS[level]}.\n` });
  },
};

export function setLevel({ turnOptions }: Pick<Repl, 'turnOptions'>, level: Level): void {
  turnOptions.change = { ...turnOptions.change, level };
  turnOptions.chosen = { ...turnOptions.chosen, level };
}

/** What the person has permitted for the conversation. */
async function permittedHere({ client, conversation }: Repl): Promise<string> {
  const here = conversation();
  if (!here.isMade()) return '';
  const { permissions } = await client.call('agent.permission_list', { node: here.place.position() });
  const lines = permissions.map(({ text }, index) => `  ${index + 1}  ${cleanLine(text)}\n`);
  return lines.length === 0 ? '' : `You have said:\n${lines.join('')}To take it back: /permissions [number] --forget\n`;
}

function levelNamed(argument: string): Level {
  const level = LEVEL_NAMES.find((one) => one === argument.toLowerCase());
  if (level !== undefined) return level;
  const near = nearest(argument, LEVEL_NAMES);
  throw new HubError(
    'invalid_params',
    `/level takes one of ${LEVEL_NAMES.join(', ')}, not ${JSON.stringify(argument)}`,
    {
      hint: near === null ? '/level alone tells what they mean' : `did you mean ${near}?`,
    },
  );
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
