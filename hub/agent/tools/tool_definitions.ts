import * as z from 'zod';
import type { Level } from '../../protocol/turn.js';
import type { ToolDefinition } from '../model/provider.js';

const path = z.string().min(1).max(4_096);

/** What a model may be asked to give, by the tool as it knows it. */
export const TOOL_INPUTS = {
  read: z.object({
    path: path.describe('output:<id> reads stored output'),
    offset: z.int().positive().optional().describe('first line, from 1'),
    limit: z.int().positive().optional().describe('lines; 2000 when left out'),
  }),
  write: z.object({ path, content: z.string() }),
  edit: z.object({ path, old_text: z.string().min(1), new_text: z.string() }),
  bash: z.object({
    command: z.string().min(1).max(1_048_576),
    timeout: z.number().positive().max(604_800).optional().describe('seconds; none when left out'),
  }),
  spawn_session: z.object({
    task: z.string().min(1).max(1_048_576).describe('all that it needs to know; it sees nothing else'),
    provider: z.string().min(1).max(400).optional().describe('provider or provider/model; yours when left out'),
    output_file: path.optional().describe('where its transcript goes'),
    attachable: z.boolean().optional().describe('say how a person opens it'),
    sandbox: z
      .object({ network: z.boolean().optional(), extra_write_paths: z.array(path).max(20).optional() })
      .optional(),
  }),
  ask_user: z.object({
    question: z.string().trim().min(1).max(16_384),
    options: z.array(z.string().min(1).max(1_000)).max(20).optional().describe('answers to choose from'),
  }),
};
export type ToolName = keyof typeof TOOL_INPUTS;
export type ToolInputs = { [Tool in ToolName]: z.output<(typeof TOOL_INPUTS)[Tool]> };

const DESCRIPTIONS: Record<ToolName, string> = {
  read: 'Reads lines of a text file, or an image.',
  write: 'Writes a file whole; folders above it are made.',
  edit: 'Replaces old_text, which must stand exactly once in the file.',
  bash: 'Runs a command; the working folder stays from call to call.',
  spawn_session: 'Lets another agent do a task and returns its answer. Several in one answer run at once.',
  ask_user: 'Asks the person, who may take their time.',
};

const TOOLS_OF: Record<Level, readonly ToolName[]> = {
  minimal: ['read', 'write', 'edit', 'bash'],
  orchestrator: ['read', 'write', 'edit', 'bash', 'spawn_session'],
  readonly: ['read', 'bash'],
  plan: ['read', 'write', 'edit', 'bash', 'ask_user'],
};

export function toolsOf(level: Level): readonly ToolName[] {
  return TOOLS_OF[level];
}

/** The tools of a level as a model is sent them. */
export function definitionsFor(level: Level): ToolDefinition[] {
  return toolsOf(level).map((name) => ({ name, description: DESCRIPTIONS[name], schema: schemaOf(TOOL_INPUTS[name]) }));
}

/** A JSON schema with what a model is helped by, and nothing else: every byte of it is paid for with every request. */
function schemaOf(input: z.ZodObject): Record<string, unknown> {
  return lean(z.toJSONSchema(input, { io: 'input' }));
}

function lean(schema: unknown): Record<string, unknown> {
  const { type, properties, required, items, description } = Object(schema);
  return {
    type,
    ...(properties === undefined ? {} : { properties: leanProperties(properties) }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: lean(items) }),
    ...(description === undefined ? {} : { description }),
  };
}

function leanProperties(properties: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, lean(property)]));
}
