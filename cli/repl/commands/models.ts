import { HubError } from '../../../hub/error.js';
import { nearest } from '../../../hub/nearest.js';
import type { Level } from '../../../hub/protocol/turn.js';
import { hintHere } from '../hints.js';
import { reachOf } from '../means.js';
import type { Repl, ReplCommand } from '../repl.js';

export const modelCommand: ReplCommand = {
  name: 'model',
  usage: '[provider/model]',
  summary: 'which model answers here; with a name, which one does from now on',
  completes: 'model',
  async run(given, repl) {
    const { means, front } = repl;
    if (given === '') return front.show({ kind: 'text', text: await modelText(repl) });
    const change = { ...means.change, model: given };
    const model = await checked({ ...repl, means: { ...means, change } });
    means.change = change;
    means.chosen = { ...means.chosen, model: given };
    await front.show({ kind: 'text', text: `From your next message on ${model} answers.\n` });
  },
};

async function modelText(repl: Repl): Promise<string> {
  const { aliases } = await repl.client.call('agent.providers', {});
  const names = aliases.map(({ name, model }) => `  ${name.padEnd(10)} ${model}`).join('\n');
  const listed = `Another one: /model provider/model, or a short name:\n${names}\n`;
  try {
    return `Here ${await checked(repl)} answers.\n${listed}`;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return `No model answers here: ${error.message}.\nhint: ${hintHere(error.hint ?? 'choose a model with: /model')}\n${listed}`;
  }
}

/** The model that would answer where one stands. */
async function checked({ client, conversation, means }: Repl): Promise<string> {
  const here = conversation();
  const node = here.isMade() ? here.place.position() : null;
  const { model } = await client.call('agent.check', { node, ...reachOf(means) });
  return model;
}

const LEVELS: readonly Level[] = ['minimal', 'orchestrator', 'readonly', 'plan'];

export const levelCommand: ReplCommand = {
  name: 'level',
  usage: '<minimal | orchestrator | readonly | plan>',
  summary: 'what the model may do from your next message on',
  completes: 'level',
  async run(given, { means, front }) {
    const level = LEVELS.find((one) => one === given);
    if (level === undefined) {
      const near = nearest(given, LEVELS);
      throw new HubError('invalid_params', `/level takes one of ${LEVELS.join(', ')}, not ${JSON.stringify(given)}`, {
        hint: near === null ? 'readonly only looks' : `did you mean ${near}?`,
      });
    }
    means.change = { ...means.change, level };
    means.chosen = { ...means.chosen, level };
    await front.show({ kind: 'text', text: `From your next message on the level is ${level}.\n` });
  },
};

export const reloadCommand: ReplCommand = {
  name: 'reload',
  usage: '',
  summary: 'read the instructions and skills of the project anew, for what follows',
  completes: null,
  async run(_, { means, front }) {
    means.change = { ...means.change, reload: true };
    await front.show({ kind: 'text', text: 'Instructions and skills are read anew with your next message.\n' });
  },
};
