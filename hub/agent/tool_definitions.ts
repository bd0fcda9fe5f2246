import { z } from 'zod';
import type { Level } from '../protocol/turn.js';
import type { ToolDefinition } from './provider.js';

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
};
export type ToolName = keyof typeof TOOL_INPUTS;

const DESCRIPTIONS: Record<ToolName, string> = {
  read: 'Reads lines of a text file, or an image.',
  write: 'Writes a file whole; folders above it are made.',
  edit: 'Replaces old_text, which must stand exactly once in the file.',
  bash: 'Runs a command; the working folder stays from call to call.',
};

// Sub-sessions do not exist yet: until then an orchestrator has what everybody has.
const TOOLS_OF: Record<Level, readonly ToolName[]> = {
  minimal: ['read', 'write', 'edit', 'bash'],
  orchestrator: ['read', 'write', 'edit', 'bash'],
  readonly: ['read', 'bash'],
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
  const { type, properties = {}, required } = z.toJSONSchema(input, { io: 'input' });
  const lean = Object.entries(properties).map(([name, property]) => {
    const { type: kind, description } = Object(property);
    return [name, description === undefined ? { type: kind } : { type: kind, description }];
  });
  return { type, properties: Object.fromEntries(lean), required };
}
