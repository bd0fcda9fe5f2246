import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { textOf } from '../../../hub/base/node_blocks.js';
import type { RoleName } from '../../../hub/protocol/outside_agent.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { valueOrNull } from '../../sandbox/attempt.js';
import { type RoleFile, type RoleTool, readRoleFile } from './role_file.js';
import { type AgentRole, customRole, ROLES } from './role_table.js';

/** How long an agent works where neither the person nor a role says it. */
const MINUTES_USUAL = 30;
const LINES_MAX = 1_000;

export interface RoleRequest {
  role: RoleName | null;
  role_description: string | null;
  project: string;
}

/** What an agent is told beside its task, and how long it may take. */
export interface RolePrompt {
  instructions: string | null;
  minutes: number;
  /** What its holder may use; null for all that it has. */
  tools: readonly RoleTool[] | null;
}

/** The instructions of a role: of the project's file, else of the person's, else ours; a description makes a new one. */
export async function promptFor(parts: Pick<ToolParts, 'hub' | 'machine'>, request: RoleRequest): Promise<RolePrompt> {
  const { role, role_description } = request;
  if (role === null && role_description === null) return { instructions: null, minutes: MINUTES_USUAL, tools: null };
  const known = role === null ? undefined : ROLES[role];
  const written = role === null ? null : await writtenRole(parts, request.project, role);
  if (role_description === null && known === undefined && written === null) throw unknownRole(role ?? '');
  const file = written === null ? null : roleFile(role ?? '', written);
  const base = role_description === null ? (known ?? namedRole(file)) : customRole(role_description);
  const tools = file === null ? (base.tools ?? null) : file.tools;
  const words = partsOf(role, file?.instructions ?? base.instructions);
  const instructions = [...words, ...keptFrom(tools)].join('\n\n');
  return { instructions, minutes: file?.minutes ?? base.minutes, tools };
}

/** A role of a file alone: how long it may take follows from its words. */
function namedRole(file: RoleFile | null): AgentRole {
  const { minutes, instructions } = customRole(file?.instructions ?? '');
  return { minutes, instructions };
}

function roleFile(role: string, text: string): RoleFile {
  const read = readRoleFile(text);
  if (!('problem' in read)) return read;
  throw new HubError('invalid_params', `the file of the role ${role} is not understood: ${read.problem}`, {
    hint: 'it may begin with lines such as "tools: read, bash" and "minutes: 20" between two lines of ---',
  });
}

function keptFrom(tools: readonly RoleTool[] | null): string[] {
  if (tools === null) return [];
  return [
    ...(tools.includes('write') ? [] : ['You may change nothing of the project.']),
    ...(tools.includes('bash') ? [] : ['You may not run commands.']),
  ];
}

async function writtenRole(
  { hub, machine }: Pick<ToolParts, 'hub' | 'machine'>,
  project: string,
  role: RoleName,
): Promise<string | null> {
  const policy = { kind: 'contained' as const, network: false, writable: [], readable: [project] };
  const path = `${project}/.cognition/roles/${role}.md`;
  // By the tool that opens files of a project: a model may have put a link there.
  const read = hub.call('file.read', { path, cwd: project, policy, inside: project, limit: LINES_MAX });
  const own = await read.then(({ blocks }) => textOf(blocks)).catch(unlessRefused);
  if (own !== null && own.trim() !== '') return own;
  return valueOrNull(() => readFileSync(join(machine.cognitionHome, 'roles', `${role}.md`), 'utf8'));
}

/** Mostly there is none. */
function unlessRefused(error: unknown): null {
  if (error instanceof HubError) return null;
  throw error;
}

function partsOf(role: string | null, instructions: string): string[] {
  return [
    `You work as ${role ?? 'an agent'} in a conversation that others go on with. ${instructions.trim()}`,
    'Your workspace for drafts is the folder in COGNITION_WORKSPACE; the project itself is in COGNITION_PROJECT_ROOT. What others should know lies in COGNITION_SHARED_CONTEXT; messages to other agents are files in COGNITION_MESSAGE_DIR, one for each, named by the time and by who they are for, as in 1200-to-claude-reviewer.md or 1200-to-all.md: each is told when it works next.',
    'End with what you did, what you checked, and what is open.',
  ];
}

function unknownRole(role: string): HubError {
  return new HubError('not_found', `there is no role ${JSON.stringify(role)}`, {
    hint: `the roles are: ${Object.keys(ROLES).join(', ')}; or describe one of your own`,
  });
}
