import { HubError } from '../../../hub/base/error.js';
import { agentChoice, findAgent, listAgents } from '../../turn/outside_agent.js';
import type { ReplCommand } from '../repl.js';

export const workCommand: ReplCommand = {
  name: 'work',
  usage: '<agent or model> <task>',
  summary: 'let an agent of others answer here, such as claude, or the one that carries sonnet',
  completes: null,
  async run(argument, repl) {
    const [, name = '', task = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
    if (task === '') throw await incomplete(repl.client);
    const agent = await findAgent(repl.client, name);
    await repl.speaking.sayTo(task, agentChoice(agent));
  },
};

async function incomplete(client: Parameters<typeof listAgents>[0]): Promise<HubError> {
  const { agents } = await listAgents(client);
  const here = agents.filter(({ program }) => program !== null).map(({ name }) => name);
  const names = here.length === 0 ? 'none is installed here; in the shell: cognition agents' : here.join(', ');
  return new HubError('invalid_params', '/work takes an agent and a task', { hint: `the agents are: ${names}` });
}
