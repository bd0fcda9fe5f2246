import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  client,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { byteStream } from '../../cli/repl/acp/byte_stream.js';
import { PROGRAM, type TestCli, userHomeBeside } from './cli.js';

/** An editor: a client of the protocol's own kit, which knows nothing of ours. */
export interface Editor {
  agent: ClientContext;
  /** Everything that was told of a session, in order. */
  updates: { sessionId: string; update: SessionUpdate }[];
  /** What it is requests, and the id of the option that it answers with; null cancels. */
  onPermission: (request: RequestPermissionRequest) => string | null | Promise<string | null>;
  /** What is typed into a form. */
  onForm: (message: string) => string;
  /** What the protocol's schemas say against messages of ours. */
  violations: string[];
  begin(cwd: string): Promise<string>;
  say(sessionId: string, said: string): Promise<PromptResponse>;
  /** Resolves with the first update that fits, of those that came and those to come. */
  told(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** The text of the answers since the last call of it. */
  answer(): string;
  /** Ends its input, and resolves to the exit code. */
  leave(): Promise<{ code: number | null; stderr: string }>;
}

export interface EditorOptions {
  words?: readonly string[];
  capabilities?: ClientCapabilities;
}

/** Runs a test with an editor that has started the program and said hello. */
export async function withEditor(
  cli: TestCli,
  { words = ['--model', 'demo'], capabilities = {} }: EditorOptions,
  use: (editor: Editor) => Promise<void>,
): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', HOME: userHomeBeside(cli.folder), COGNITION_HOME: cli.home };
  const child = spawn(process.execPath, [PROGRAM, 'acp', ...words], { cwd: cli.folder, env });
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
  const violations: string[] = [];
  const stream = ndJsonStream(Writable.toWeb(child.stdin), byteStream(child.stdout));
  const updates: Editor['updates'] = [];
  const waiting = new Set<() => void>();
  let read = 0;
  const editor: Editor = {
    ...{ updates, violations, onPermission: () => '1', onForm: () => '' },
    get agent() {
      return connection.agent;
    },
    async begin(cwd) {
      return (await connection.agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
    },
    say: (sessionId, said) =>
      connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: said }] }),
    async told(fits) {
      for (let from = 0; ; ) {
        const found = updates.slice(from).find(({ update }) => fits(update));
        if (found !== undefined) return found.update;
        from = updates.length;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    answer() {
      const since = updates.slice(read);
      read = updates.length;
      return since.map(({ update }) => answerText(update)).join('');
    },
    async leave() {
      child.stdin.end();
      const [[code], stderr] = await ended;
      return { code, stderr };
    },
  };
  const app = clientFor(editor, () => {
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const connection = app.connect(checked(stream, violations));
  try {
    await connection.agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
    await use(editor);
  } finally {
    connection.close();
    child.stdin.destroy();
    await ended;
  }
}

function clientFor(editor: Editor, onUpdate: () => void) {
  return client({ name: 'a test' })
    .onRequest('session/request_permission', async ({ params }): Promise<RequestPermissionResponse> => {
      const optionId = await editor.onPermission(params);
      return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest('elicitation/create', ({ params }) => ({
      action: 'accept' as const,
      content: { answer: editor.onForm(params.message) },
    }))
    .onNotification('session/update', ({ params }) => {
      editor.updates.push(params);
      onUpdate();
    });
}

function answerText(update: SessionUpdate): string {
  if (update.sessionUpdate !== 'agent_message_chunk') return '';
  return update.content.type === 'text' ? update.content.text : '';
}

/** The same stream; each message that comes is held against the schema of its method. */
function checked({ readable, writable }: Stream, violations: string[]): Stream {
  const requests = new Map<unknown, string>();
  const hear = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const { schema, value } = schemaFor(message, requests);
      const problem = schema === null ? `nothing was asked: ${JSON.stringify(message)}` : problemOf(schema, value);
      if (problem !== null) violations.push(problem);
      controller.enqueue(message);
    },
  });
  const say = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) requests.set(message.id, message.method);
      controller.enqueue(message);
    },
  });
  const out = say.readable.pipeTo(writable);
  out.catch(() => undefined); // the program has ended
  return { readable: readable.pipeThrough(hear), writable: say.writable };
}

const CALLS = {
  'session/update': 'SessionNotification',
  'session/request_permission': 'RequestPermissionRequest',
  'elicitation/create': 'CreateElicitationRequest',
} as const;

const RESPONSES = {
  initialize: 'InitializeResponse',
  'session/new': 'NewSessionResponse',
  'session/load': 'LoadSessionResponse',
  'session/resume': 'ResumeSessionResponse',
  'session/list': 'ListSessionsResponse',
  'session/fork': 'ForkSessionResponse',
  'session/prompt': 'PromptResponse',
  'session/set_config_option': 'SetSessionConfigOptionResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/close': 'CloseSessionResponse',
  'session/delete': 'DeleteSessionResponse',
} as const;

function schemaFor(message: AnyMessage, requests: Map<unknown, string>): { schema: string | null; value: unknown } {
  if ('method' in message) {
    const schema = Object.entries(CALLS).find(([name]) => name === message.method);
    return { schema: schema?.[1] ?? null, value: message.params };
  }
  if ('error' in message) return { schema: 'Error', value: message.error };
  const method = Object.entries(RESPONSES).find(([name]) => name === requests.get(message.id));
  return { schema: method?.[1] ?? null, value: 'result' in message ? message.result : null };
}

function problemOf(name: string, value: unknown): string | null {
  const parsed = schemaNamed(name).safeParse(value);
  return parsed.success ? null : `${name}: ${JSON.stringify(value)}: ${parsed.error.message}`;
}

const document: unknown = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.unstable.json'),
    'utf8',
  ),
);
const definitions = known(Object(document).$defs);
const schemas = new Map<string, z.ZodType>();

function schemaNamed(name: string): z.ZodType {
  const schema = schemas.get(name) ?? z.fromJSONSchema({ $defs: Object(definitions), $ref: `#/$defs/${name}` });
  schemas.set(name, schema);
  return schema;
}

/** A schema without its places for what a later version may add: those would let anything pass. */
function known(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.filter((one) => !('not' in Object(one))).map(known);
  if (schema === null || typeof schema !== 'object') return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== 'unevaluatedProperties' && key !== 'discriminator');
  return Object.fromEntries(entries.map(([key, value]) => [key, known(value)]));
}
