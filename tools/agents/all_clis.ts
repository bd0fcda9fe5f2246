import { acpAgents } from './acp_agents.js';
import type { AgentCli } from './agent_cli.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { pi } from './pi.js';

/** Every outside agent that this program can speak with. */
export const AGENT_CLIS: readonly AgentCli[] = [claude, codex, pi, ...acpAgents];

export function findCli(name: string): AgentCli | null {
  return AGENT_CLIS.find((cli) => cli.name === name) ?? null;
}
