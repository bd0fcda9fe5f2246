import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk/unstable';
import { HubError } from '../../../hub/base/error.js';
import { THINKING, THINKING_LEVELS, thinkingNamed } from '../../turn/thinking_choice.js';
import { LEVEL_NAMES, LEVELS, modelHere, setLevel, setModel, USUAL } from '../commands/model_and_level.js';
import { setThinking, thinkingHere } from '../commands/thinking.js';
import type { Repl } from '../repl.js';
import { levelHere, setPlanning } from '../tree/plan_mode.js';

/** What is chosen for the next turn of a session, as its editor shows it. */
export interface SessionOptions {
  modes: SessionModeState;
  configOptions: SessionConfigOption[];
}

type ConfigId = 'mode' | 'model' | 'thinking' | 'network';

const NO_MODEL = 'none';
const NETWORK = { on: 'commands of the model may use the network', off: 'commands of the model have no network' };

export async function sessionOptions(repl: Repl, hasBooleans: boolean): Promise<SessionOptions> {
  const level = (await levelHere(repl)) ?? USUAL;
  const levels = Object.entries(LEVELS).map(([id, description]) => ({ id, name: id, description }));
  const thinking = (await thinkingHere(repl)) ?? 'auto';
  return {
    modes: { currentModeId: level, availableModes: levels },
    configOptions: [
      selectOption('mode', level, levels),
      selectOption('model', ...(await modelChoices(repl))),
      selectOption(
        'thinking',
        thinking,
        THINKING_LEVELS.map((id) => ({ id, name: id, description: THINKING[id] })),
      ),
      networkOption(repl, hasBooleans),
    ],
  };
}

const LABELS = {
  mode: { name: 'Level', category: 'mode', description: 'what the model may do' },
  model: { name: 'Model', category: 'model', description: 'which model answers' },
  thinking: { name: 'Thinking', category: 'thought_level', description: 'how much the model thinks' },
  network: { name: 'Network', category: '_network', description: NETWORK.on },
} as const;

interface Choice {
  id: string;
  name: string;
  description?: string;
}

function selectOption(id: ConfigId, currentValue: string, choices: readonly Choice[]): SessionConfigOption {
  const options = choices.map(({ id: value, ...named }) => ({ value, ...named }));
  return { id, ...LABELS[id], type: 'select', currentValue, options };
}

function networkOption({ turnOptions }: Repl, hasBooleans: boolean): SessionConfigOption {
  const isOn = turnOptions.grants.network;
  if (hasBooleans) return { id: 'network', ...LABELS.network, type: 'boolean', currentValue: isOn };
  const choices = Object.entries(NETWORK).map(([id, description]) => ({ id, name: id, description }));
  return selectOption('network', isOn ? 'on' : 'off', choices);
}

/** The models with short names whose servers can be asked, and those that the person names; the current one is among them. */
async function modelChoices(repl: Repl): Promise<[string, Choice[]]> {
  const { client, turnOptions } = repl;
  const { access } = turnOptions;
  const { providers, aliases } = await client.call('agent.providers', { access });
  const reachable = new Set(
    providers.filter(({ name, needs_key: needsKey }) => !needsKey || hasKey(access[name])).map(({ name }) => name),
  );
  const named = Object.entries(access).flatMap(([server, { models = [] }]) =>
    models.map((model) => `${server}/${model}`),
  );
  const short = aliases.filter(({ model }) => reachable.has(model.split('/')[0] ?? ''));
  const choices = new Map([...short.map(({ name, model }): [string, string] => [model, name]), ...named.map(twice)]);
  const current = await currentModel(repl);
  if (!choices.has(current)) choices.set(current, current === NO_MODEL ? 'none can be asked' : current);
  return [current, [...choices].map(([id, name]) => ({ id, name }))];
}

function twice(name: string): [string, string] {
  return [name, name];
}

function hasKey(entry: Repl['turnOptions']['access'][string] | undefined): boolean {
  return entry !== undefined && (entry.key != null || entry.key_pending === true);
}

async function currentModel(repl: Repl): Promise<string> {
  try {
    return await modelHere(repl);
  } catch (error) {
    if (error instanceof HubError) return NO_MODEL; // a prompt says why
    throw error;
  }
}

/** Sets one option by its id. */
export async function setOption(repl: Repl, id: string, value: unknown): Promise<void> {
  switch (id) {
    case 'mode':
      return setMode(repl, value);
    case 'model':
      await setModel(repl, String(value));
      return;
    case 'thinking': {
      const thinking = thinkingNamed(String(value));
      if (thinking === undefined) throw unknownValue(id, value, THINKING_LEVELS);
      setThinking(repl, thinking);
      return;
    }
    case 'network': {
      if (typeof value !== 'boolean' && value !== 'on' && value !== 'off') throw unknownValue(id, value, ['on', 'off']);
      const { turnOptions } = repl;
      turnOptions.grants = { ...turnOptions.grants, network: value === true || value === 'on' };
      return;
    }
    default:
      throw unknownValue('session/set_config_option', id, Object.keys(LABELS));
  }
}

export async function setMode(repl: Repl, value: unknown): Promise<void> {
  const level = LEVEL_NAMES.find((name) => name === value);
  if (level === undefined) throw unknownValue('mode', value, LEVEL_NAMES);
  if (level === 'plan') await setPlanning(repl, true);
  else setLevel(repl, level);
}

function unknownValue(what: string, value: unknown, known: readonly string[]): HubError {
  return new HubError('invalid_params', `${what} is none of its values: ${JSON.stringify(value)?.slice(0, 100)}`, {
    hint: `it is one of ${known.join(', ')}`,
  });
}
