import { acpAgents } from './acp_agents.js';
import type { AgentCli } from './agent_cli.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { readOwnAgents } from './own_agents.js';
import { pi } from './pi.js';

/** The outside agents that this program comes with. */
export const AGENT_CLIS: readonly AgentCli[] = [claude, codex, pi, ...acpAgents];

/** Those, and the ones that a person has named; what is wrong with others of them. */
export function knownAgents(cognitionHome: string): { agents: readonly AgentCli[]; problems: string[] } {
  const own = readOwnAgents(
    cognitionHome,
    AGENT_CLIS.map(({ name }) => name),
  );
  return { agents: [...AGENT_CLIS, ...own.agents], problems: own.problems };
}

export function findCli(name: string, cognitionHome: string): AgentCli | null {
  return knownAgents(cognitionHome).agents.find((cli) => cli.name === name) ?? null;
}
