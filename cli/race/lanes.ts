import { HubError } from '../../hub/base/error.js';
import type { Context } from '../command_line/command_context.js';
import { modelNamed } from '../turn/model_choice.js';
import { type AgentChoice, agentChoice, findAgent, listAgents } from '../turn/outside_agent.js';
import type { TurnOptions } from '../turn/turn_options.js';

const LANES_MAX = 16;
const LANE = /^(.+?)(?:[×*](\d{1,2}))?$/u;

/** Who answers in a lane: a model, by a change of settings, or an agent. */
export interface LaneChoice {
  label: string;
  change: TurnOptions['change'];
  agent: AgentChoice | null;
}

/** Who races, one name for each lane: `sonnet×2,gpt` makes three. */
export function lanesIn(text: string): string[] {
  const lanes = text.split(',').flatMap((part) => {
    const [, name = '', times = '1'] = LANE.exec(part.trim()) ?? [];
    return name === '' ? [] : Array.from({ length: Number(times) }, () => name);
  });
  if (lanes.length > 0 && lanes.length <= LANES_MAX) return lanes;
  throw new HubError('invalid_params', `--with takes 1 to ${LANES_MAX} lanes, not ${JSON.stringify(text)}`, {
    hint: 'such as --with sonnet×2,gpt',
  });
}

/** The agents and models that these names mean; an agent's name means the agent. */
export async function laneChoices(
  context: Context,
  options: Pick<TurnOptions, 'change'>,
  names: readonly string[],
): Promise<LaneChoice[]> {
  const client = await context.client();
  const agents = new Set<string>((await listAgents(client)).agents.map(({ name }) => name));
  return Promise.all(
    names.map(async (label) => {
      const { change } = options;
      if (agents.has(label)) return { label, change, agent: agentChoice(await findAgent(client, label)) };
      const model = await modelNamed(context, { model: label, provider: undefined });
      return { label, change: { ...change, ...(model === null ? {} : { model }) }, agent: null };
    }),
  );
}
