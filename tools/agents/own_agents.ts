import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { AgentName } from '../../hub/protocol/outside_agent.js';
import { valueOrNull } from '../sandbox/attempt.js';
import { agentOf } from './acp_agents.js';
import type { AgentCli } from './agent_cli.js';

const OWN_AGENTS_FILE = 'agents.json';
const FILE_BYTES_MAX = 1024 * 1024;
const AGENTS_MAX = 50;

const text = z
  .string()
  .max(4_096)
  .regex(/^[^\0]*$/);
const VariableName = z.string().regex(/^[A-Za-z_]\w{0,199}$/);
const Entry = z.strictObject({
  /** A name to look up in the search path, or an absolute path. */
  command: z
    .string()
    .max(4_096)
    .regex(/^(\/[^\0]+|[^-/\0][^/\0]*)$/),
  args: z.array(text).max(200).default([]),
  env: z.record(VariableName, text).default({}),
  /** The variables of the person that reach it. */
  variables: z.array(VariableName).max(100).default([]),
  login: z.array(text).max(50).default([]),
});
const Document = z.object({ agents: z.record(z.string(), z.unknown()) });

/** The agents that a person has named in the folder of cognition: programs that speak the Agent Client Protocol. */
export function readOwnAgents(
  cognitionHome: string,
  taken: readonly string[],
): { agents: AgentCli[]; problems: string[] } {
  const content = readBounded(join(cognitionHome, OWN_AGENTS_FILE));
  if (content === null) return { agents: [], problems: [] };
  const document = Document.safeParse(valueOrNull(() => JSON.parse(content)));
  if (!document.success) {
    return {
      agents: [],
      problems: [`${OWN_AGENTS_FILE} is not understood: it is {"agents": {"name": {"command": "…"}}}`],
    };
  }
  const problems: string[] = [];
  const entries = Object.entries(document.data.agents);
  if (entries.length > AGENTS_MAX)
    problems.push(`${OWN_AGENTS_FILE} names more than ${AGENTS_MAX} agents: the rest is left out`);
  const agents = entries.slice(0, AGENTS_MAX).flatMap(([given, entry]): AgentCli[] => {
    const [name, said] = [AgentName.safeParse(given), Entry.safeParse(entry)];
    const where = `${OWN_AGENTS_FILE}: ${JSON.stringify(given.slice(0, 100))}`;
    if (!name.success) problems.push(`${where} ${name.error.issues[0]?.message ?? 'is no name'}`);
    else if (taken.includes(given)) problems.push(`${where} is an agent that there is already`);
    else if (!said.success) problems.push(`${where} is not understood: ${wrongPart(said.error)}`);
    else return [ownAgent(name.data, said.data)];
    return [];
  });
  return { agents, problems };
}

function wrongPart(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? '' : [issue.path.join('.'), issue.message].filter((part) => part !== '').join(': ');
}

function ownAgent(name: AgentName, { command, args, env, variables, login }: z.infer<typeof Entry>): AgentCli {
  const usual = `${name.toUpperCase().replaceAll('-', '_')}_API_KEY`;
  const [first = usual, ...others] = variables;
  return agentOf({
    ...{ name, executable: command, install: `${OWN_AGENTS_FILE} names ${command}, which must be a program here` },
    ...{ login, loginFiles: [], variables: [first, ...others], models: [], words: args },
    home: () => ({ files: {}, environment: env }),
  });
}

/** Null for what is no usual file. */
function readBounded(path: string): string | null {
  const fd = valueOrNull(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === null) return null;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= FILE_BYTES_MAX ? readFileSync(fd, 'utf8') : '';
  } finally {
    closeSync(fd);
  }
}
