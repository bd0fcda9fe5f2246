import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { HubError } from '../../../hub/base/error.js';
import { VERSION } from '../../../hub/config/config.js';
import type { McpTool } from '../../../hub/protocol/methods/mcp_methods.js';
import type { ToolParts } from '../../base/tool_parts.js';
import type { Sandbox } from '../../sandbox/forms/sandbox.js';
import { lineTransport } from './line_transport.js';
import { type ServerProcess, type ServerStart, startServer } from './start_server.js';

/** How long a server may take to start, and to list a page of its tools. */
const START_MS_MAX = 60_000;
const LIST_MS_MAX = 30_000;
const PAGES_MAX = 100;
const TOOLS_MAX = 5_000;
const DESCRIPTION_LENGTH_MAX = 4_000;
const SCHEMA_LENGTH_MAX = 100_000;
/** Of all that is listed: it fits into one frame, however it is escaped. */
const LIST_LENGTH_MAX = 4_000_000;
const TEXT_BYTES_MAX = 4 * 1024 * 1024;

const ListedTools = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() });
const ListedTool = z.object({
  name: z.string().regex(/^[^\p{Cc}\p{Cf}]{1,200}$/u),
  description: z.string().nullish().catch(null),
  inputSchema: z.record(z.string(), z.json()).catch({}),
});
const Called = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.json().optional(),
  isError: z.boolean().optional().catch(undefined),
});
const Part = z.object({
  type: z.string(),
  text: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
  resource: z.object({ uri: z.string().optional(), text: z.string().optional() }).optional(),
});

export interface ServerConnection {
  isAlive(): boolean;
  listTools(signal: AbortSignal): Promise<{ tools: McpTool[]; warnings: string[] }>;
  callTool(call: ToolCall, signal: AbortSignal): Promise<{ text: string; failed: boolean; is_cut: boolean }>;
  end(): Promise<void>;
}

interface ToolCall {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  timeMs: number;
}

/** Starts a server and agrees with it on a protocol. Nothing of what it says is believed but strings within limits. */
export async function connectServer(
  parts: Pick<ToolParts, 'machine' | 'sessionsFolder'> & { sandbox: Sandbox },
  start: ServerStart,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const process = await startServer(parts, start);
  const { name } = start.server;
  const { createClient } = await import('./client_kit.js');
  // It is asked by plain requests: schemas of a server are compiled by nobody.
  const client = createClient(VERSION);
  const transport = lineTransport(process.child, (reason) => {
    process.end(`it was ended: ${reason}`).catch(() => undefined);
  });
  try {
    await client.connect(transport, { timeout: START_MS_MAX, signal });
  } catch (error) {
    await process.end();
    throw failureOf(error, { name, process, doing: 'did not start' });
  }
  return {
    isAlive: process.isAlive,
    async listTools(ending) {
      try {
        return await allTools(client, ending);
      } catch (error) {
        await process.end();
        throw failureOf(error, { name, process, doing: 'did not list its tools' });
      }
    },
    async callTool({ tool, input, timeMs }, ending) {
      try {
        const params = { name: tool, arguments: { ...input } };
        const options = { timeout: timeMs, maxTotalTimeout: timeMs, signal: ending };
        return textOf(await client.request({ method: 'tools/call', params }, Called, options));
      } catch (error) {
        // What hangs would hang the next call, too.
        if (isTimeout(error)) await process.end();
        throw failureOf(error, { name, process, doing: `did not answer ${tool}` });
      }
    },
    end: () => process.end(),
  };
}

async function allTools(client: Client, signal: AbortSignal): Promise<{ tools: McpTool[]; warnings: string[] }> {
  const listed: (McpTool | null)[] = [];
  let length = 0;
  let cursor: string | undefined;
  const isFull = (): boolean => listed.length > TOOLS_MAX || length > LIST_LENGTH_MAX;
  for (let page = 0; page < PAGES_MAX && !isFull(); page += 1) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
    const { tools, nextCursor } = await client.request(request, ListedTools, { timeout: LIST_MS_MAX, signal });
    for (const one of tools) {
      if (isFull()) break;
      listed.push(toolOf(one));
      length += JSON.stringify(listed.at(-1)).length;
    }
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  // The last one was too much.
  const shown = isFull() ? listed.slice(0, -1) : listed;
  const tools = shown.filter((tool) => tool !== null);
  const odd = shown.length - tools.length;
  return {
    tools,
    warnings: [
      ...(odd === 0 ? [] : [`${odd} of its tools are not understood`]),
      ...(isFull() || cursor !== undefined ? [`only the first ${shown.length} of its tools are listed`] : []),
    ],
  };
}

function toolOf(listed: unknown): McpTool | null {
  const parsed = ListedTool.safeParse(listed);
  if (!parsed.success) return null;
  const { name, description, inputSchema } = parsed.data;
  const isLong = JSON.stringify(inputSchema).length > SCHEMA_LENGTH_MAX;
  return { name, description: (description ?? '').slice(0, DESCRIPTION_LENGTH_MAX), schema: isLong ? {} : inputSchema };
}

function textOf({ content, structuredContent, isError = false }: z.infer<typeof Called>) {
  const texts = content.flatMap((one) => {
    const part = Part.safeParse(one);
    return part.success ? [partText(part.data)] : [];
  });
  const all = texts.join('\n') || (structuredContent === undefined ? '' : JSON.stringify(structuredContent, null, 2));
  const bytes = Buffer.from(all);
  const isCut = bytes.length > TEXT_BYTES_MAX;
  const text = isCut ? new TextDecoder().decode(bytes.subarray(0, TEXT_BYTES_MAX), { stream: true }) : all;
  return { text: text.toWellFormed(), failed: isError, is_cut: isCut };
}

function partText({ type, text, mimeType, uri, resource }: z.infer<typeof Part>): string {
  if (type === 'text') return text ?? '';
  if (resource !== undefined) return resource.text ?? `[${resource.uri ?? 'a resource'}]`;
  return `[${type}${mimeType === undefined ? '' : ` ${mimeType}`}${uri === undefined ? '' : ` ${uri}`}]`;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timed? ?out/i.test(error.message);
}

function failureOf(
  error: unknown,
  { name, process, doing }: { name: string; process: ServerProcess; doing: string },
): HubError {
  const said = process.lastWords();
  const reason = error instanceof Error ? error.message : String(error);
  return new HubError('unreachable', `the tool server ${name} ${doing}: ${reason.slice(0, 500)}`, {
    ...(said === '' ? {} : { hint: `it said last: ${said.slice(-1_000)}` }),
    cause: error,
  });
}
