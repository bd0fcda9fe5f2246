import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { withFormat } from '../../hub/base/group/group_words.js';
import { VERSION } from '../../hub/config/config.js';
import { MEMBERS_MAX } from '../group/group_members.js';
import { ROUNDS_MAX } from '../group/group_think.js';
import { cleanLine } from '../render/text/clean.js';
import { runInSession, type SessionWork, type ToolServerParts } from './run_in_session.js';
import { thinkInGroup } from './think_in_group.js';
import { failureReply, listReply, REPLY_LENGTH_MAX } from './tool_reply.js';

const name = z.string().min(1).max(400);
const sessionId = z.string().min(1).max(200);
const limit = z.int().positive().max(100);
const paths = z.array(z.string().min(1).max(4_096)).max(50);

const format = z.string().min(1).max(4_096).describe('how the answer is to look');

const MODEL = 'a model, such as sonnet or provider/model';
const AGENT = `${MODEL}, or another agent, such as claude or codex`;
const SESSION = 'a session of this project to go on in, by the name that you give it; a new one when left out';

/** Claude Code would hide them behind a search, and cut what they answer. */
const SHOWN = { 'anthropic/alwaysLoad': true, 'anthropic/maxResultSizeChars': 2 * REPLY_LENGTH_MAX };
const READING = { readOnlyHint: true, openWorldHint: false };

/** The tools that other agents are given. */
export function createToolServer(parts: ToolServerParts): McpServer {
  const server = new McpServer({ name: 'cognition', version: VERSION }, { capabilities: { tools: {} } });
  addWork(server, parts);
  addGroup(server, parts);
  addSessions(server, parts);
  addProject(server, parts);
  return server;
}

function addWork(server: McpServer, parts: ToolServerParts): void {
  const work = (ctx: ServerContext, wanted: SessionWork): Promise<CallToolResult> =>
    answered(parts, { tool: wanted.tool, signal: ctx.mcpReq.signal }, (signal) =>
      runInSession(parts, wanted, { ctx, signal }),
    );
  server.registerTool(
    'work_with',
    {
      description: `Lets another model, or another agent, work on a task in this project, with its own tools in a sandbox, and returns its answer. Takes as long as the task does.`,
      inputSchema: z.object({
        agent: name.describe(AGENT),
        task: z
          .string()
          .min(1)
          .max(1_048_576)
          .describe('all that it needs to know; it sees nothing else but its session'),
        session_id: sessionId.optional().describe(SESSION),
        context: paths.optional().describe('paths that it should look at'),
        role: name.optional().describe('what another agent is to be, such as reviewer'),
      }),
      _meta: SHOWN,
    },
    ({ agent, task, session_id, context = [], role = null }, ctx) => {
      const text = [task, ...context.map((path) => `Look at: ${path}`)].join('\n');
      return work(ctx, {
        tool: 'work_with',
        model: agent,
        role,
        text,
        session: session_id ?? null,
        files: [],
        isReading: false,
      });
    },
  );
  server.registerTool(
    'consult_with',
    {
      description: 'Asks another model a question and returns its answer. It may read the project and changes nothing.',
      inputSchema: z.object({
        model: name.describe(MODEL),
        question: z.string().min(1).max(1_048_576).describe('it sees nothing else but its session'),
        session_id: sessionId.optional().describe(SESSION),
        context: paths.optional().describe('files of the project whose contents it is told'),
        output_format: format.optional(),
      }),
      annotations: { readOnlyHint: true },
      _meta: SHOWN,
    },
    ({ model, question, session_id, context = [], output_format }, ctx) =>
      work(ctx, {
        ...{ tool: 'consult_with', model, role: null, text: withFormat(question, output_format) },
        ...{ session: session_id ?? null, files: context, isReading: true },
      }),
  );
}

function addGroup(server: McpServer, parts: ToolServerParts): void {
  server.registerTool(
    'group_think',
    {
      description:
        'Has several models answer a question in rounds, each told what the others said, and returns one answer put together. They may read the project and change nothing.',
      inputSchema: z.object({
        models: z.array(name).min(1).max(MEMBERS_MAX).describe(AGENT),
        question: z.string().min(1).max(1_048_576).describe('they see nothing else but their session'),
        session_id: sessionId.optional().describe(SESSION),
        context: paths.optional().describe('files of the project whose contents they are told'),
        rounds: z.int().min(1).max(ROUNDS_MAX).optional().describe('how often each answers; 2 when left out'),
        output_format: format.optional(),
      }),
      annotations: { readOnlyHint: true },
      _meta: SHOWN,
    },
    ({ models, question, session_id, context = [], rounds = 2, output_format }, ctx) =>
      answered(parts, { tool: 'group_think', signal: ctx.mcpReq.signal }, (signal) => {
        const session = session_id ?? null;
        const request = { models, question, rounds, session, files: context, outputFormat: output_format ?? null };
        return thinkInGroup(parts, request, { ctx, signal });
      }),
  );
}

function addSessions(server: McpServer, parts: ToolServerParts): void {
  const { context } = parts;
  const { project } = context;
  server.registerTool(
    'list_sessions',
    {
      description: 'Lists the sessions of this project, newest first.',
      inputSchema: z.object({ limit: limit.optional() }),
      annotations: READING,
    },
    ({ limit: most = 20 }, ctx) =>
      answered(parts, { tool: 'list_sessions', signal: ctx.mcpReq.signal }, async () => {
        const client = await context.client();
        const listed = await client.call('history.session_list', { project, limit: most });
        const lines = (shown: typeof listed): string =>
          shown.sessions
            .map(
              ({ session, title, messages, is_busy }) =>
                `${session}: ${title} (${messages} messages${is_busy ? ', runs' : ''})`,
            )
            .join('\n');
        return listReply(listed, 'sessions', (shown) => lines(shown) || 'There are no sessions in this project.');
      }),
  );
  server.registerTool(
    'describe_session',
    {
      description: 'Describes a session: what was said last, which models answered, what it cost.',
      inputSchema: z.object({ session_id: sessionId, messages: limit.optional() }),
      annotations: READING,
    },
    ({ session_id: session, messages = 4 }, ctx) =>
      answered(parts, { tool: 'describe_session', signal: ctx.mcpReq.signal }, async () => {
        const client = await context.client();
        const found = await client.call('history.session_describe', { project, session, messages });
        return listReply(found, 'last', ({ node, models, last }) =>
          [
            `session ${session}, node ${node}`,
            `models: ${models.join(', ')}`,
            ...last.map(({ role, text }) => `${role}: ${text}`),
          ].join('\n\n'),
        );
      }),
  );
}

function addProject(server: McpServer, parts: ToolServerParts): void {
  const { context } = parts;
  const { project } = context;
  server.registerTool(
    'search_project_history',
    {
      description: 'Finds what was said in this project, in all branches of all sessions: every word must occur.',
      inputSchema: z.object({ query: z.string().min(1).max(1_000), limit: limit.optional() }),
      annotations: READING,
    },
    ({ query, limit: most = 20 }, ctx) =>
      answered(parts, { tool: 'search_project_history', signal: ctx.mcpReq.signal }, async () => {
        const client = await context.client();
        const found = await client.call('history.search', { project, query, limit: most });
        const lines = (shown: typeof found): string =>
          shown.hits
            .map(({ session, node, snippet }) => cleanLine(`session ${session}, node ${node}: ${snippet}`))
            .join('\n');
        return listReply(found, 'hits', (shown) => lines(shown) || 'Nothing was found.');
      }),
  );
  server.registerTool(
    'count_project_tokens',
    {
      description: 'Estimates the tokens of the text files of this project that git would list.',
      inputSchema: z.object({
        items: paths.optional().describe('files and folders of the project; all of it when left out'),
        top: limit.optional().describe('how many of the largest are named'),
      }),
      annotations: READING,
    },
    ({ items = [], top = 10 }, ctx) =>
      answered(parts, { tool: 'count_project_tokens', signal: ctx.mcpReq.signal }, async () => {
        const client = await context.client();
        const counted = await client.call('file.project_measure', { folder: project, paths: items, top });
        return listReply(counted, 'largest', ({ tokens, files, largest }) =>
          [`about ${tokens} tokens in ${files} files`, ...largest.map((one) => `${one.tokens} ${one.path}`)].join('\n'),
        );
      }),
  );
}

/** Whatever fails is a reply: an agent shows an error of the protocol to nobody. */
async function answered(
  { calls }: ToolServerParts,
  { tool, signal }: { tool: string; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await calls.run(signal, work);
  } catch (error) {
    return failureReply(tool, error);
  }
}
