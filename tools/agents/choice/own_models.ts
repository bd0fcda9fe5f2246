import { AgentModel } from '../../../hub/protocol/outside_agent.js';
import { CARRIED_MODELS } from './model_table.js';

/** A line of the person's own: a model, the agent that carries it, and the name by which that knows it. */
export interface OwnModel {
  model: string;
  agent: string;
  asks: string;
}

const LINES_MAX = 200;
const LINE = /^([^\s=,]{1,200})\s*=\s*([a-z][a-z0-9-]{0,30})(?::(\S{1,200}))?$/;

/** The lines of the preference `agents.models`, and what is wrong with the others. */
export function ownModels(text: string): { lines: OwnModel[]; problems: string[] } {
  const parts = text.split(',').map((part) => part.trim());
  const lines: OwnModel[] = [];
  const problems: string[] = [];
  for (const part of parts.filter((one) => one !== '').slice(0, LINES_MAX)) {
    const [, model = '', agent = '', asks = model] = LINE.exec(part) ?? [];
    if (agent !== '' && AgentModel.safeParse(asks).success) lines.push({ model, agent, asks });
    else
      problems.push(
        `agents.models has ${JSON.stringify(part.slice(0, 200))}, which is not name=agent or name=agent:model`,
      );
  }
  return { lines, problems };
}

/** The models whose agents there are not, in the table or in the person's lines. */
export function modelProblems(agents: readonly string[], own: readonly OwnModel[]): string[] {
  const table = Object.keys(CARRIED_MODELS).filter((agent) => !agents.includes(agent));
  const lines = own.filter(({ agent }) => !agents.includes(agent));
  return [
    ...table.map((agent) => `the table of models names the agent ${agent}, which there is not`),
    ...lines.map(({ model, agent }) => `agents.models lets ${agent} carry ${model}, and there is no agent ${agent}`),
  ];
}
