import {
  type AgentApp,
  agent,
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk/unstable';
import { detach } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import { KEY_VARIABLES } from '../../../hub/base/provider_records.js';
import type { Client } from '../../../hub/client/client.js';
import { userHome, VERSION } from '../../../hub/config/config.js';
import type { Tree } from '../../../hub/protocol/node.js';
import { type Context, openContext } from '../../command_line/command_context.js';
import { newTreeId } from '../../position/ids.js';
import { workFolder } from '../../position/project_folder.js';
import { treeWords } from '../../render/tree/tree_list.js';
import { readTurnOptions } from '../../turn/turn_options.js';
import type { Opened } from '../conversation/conversation.js';
import { type AcpSession, type EditorLink, openAcpSession } from './acp_session.js';
import { AVAILABLE_COMMANDS } from './editor_commands.js';
import { requestError } from './request_errors.js';
import type { SessionOptions } from './session_options.js';
import { formatSessionId, parseSessionId, placeOf, type SessionName } from './session_place.js';

/** The words of the command line that begin every turn. */
export type ServedWords = Parameters<typeof readTurnOptions>[0];

const SESSIONS_PAGE = 50;

interface Served {
  input: ServedWords;
  /** The same connection for all sessions. */
  connect(): Promise<Client>;
  sessions: Map<string, AcpSession>;
  /** The editor, and what it said it can show. */
  editor: EditorLink | null;
}

export interface EditorAgent {
  app: AgentApp;
  close(): Promise<void>;
}

/** Answers an editor: each of its sessions is an open conversation. */
export function createEditorAgent(input: ServedWords, connect: () => Promise<Client>): EditorAgent {
  const served: Served = { ...{ input, connect, sessions: new Map() }, editor: null };
  const app = agent({ name: 'cognition' })
    .onConnect(({ client }) => {
      served.editor = { client, hasNotices: false, hasBooleans: false, hasForms: false };
    })
    .onRequest('initialize', ({ params }) => initialize(served, params))
    .onRequest('authenticate', () => answered(() => authenticate(served)))
    .onRequest('session/new', ({ params }) => answered(() => begin(served, params.cwd)))
    .onRequest('session/load', ({ params }) =>
      answered(async () => {
        const session = await reopen(served, params);
        await session.replay();
        return described(session);
      }),
    )
    .onRequest('session/resume', ({ params }) => answered(async () => described(await reopen(served, params))))
    .onRequest('session/fork', ({ params }) => answered(() => fork(served, params)))
    .onRequest('session/list', ({ params }) => answered(() => list(served, params)))
    .onRequest('session/close', ({ params: { sessionId } }) => answered(() => closeSession(served, sessionId)))
    .onRequest('session/delete', ({ params: { sessionId } }) => answered(() => archive(served, sessionId)))
    .onRequest('session/set_mode', ({ params: { sessionId, modeId } }) =>
      answered(async () => {
        await openOne(served, sessionId).setMode(modeId);
        return {};
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      answered(async () => {
        const { configOptions } = await openOne(served, params.sessionId).setOption(params.configId, params.value);
        return { configOptions };
      }),
    )
    .onRequest('session/prompt', ({ params }) =>
      answered(() => openOne(served, params.sessionId).prompt(params.prompt)),
    )
    .onNotification('session/cancel', ({ params }) => served.sessions.get(params.sessionId)?.cancel());
  return {
    app,
    async close() {
      for (const session of served.sessions.values()) await session.close();
    },
  };
}

/** Failures as the protocol has them. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw requestError(error);
  }
}

function initialize(served: Served, { clientCapabilities }: InitializeRequest): InitializeResponse {
  served.editor = {
    ...editorOf(served),
    hasNotices: clientCapabilities?.session?.notices != null,
    hasBooleans: clientCapabilities?.session?.configOptions?.boolean != null,
    hasForms: clientCapabilities?.elicitation?.form != null,
  };
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'cognition', title: 'cognition', version: VERSION },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
    },
    authMethods: [
      {
        ...{ id: 'environment', name: 'A key in the environment' },
        description: `Start the editor with ${KEY_VARIABLES.join(' or ')} set, or choose the model demo, which needs none.`,
      },
    ],
  };
}

function editorOf({ editor }: Served): EditorLink {
  if (editor === null) throw RequestError.internalError(undefined, 'no editor is connected');
  return editor;
}

/** Succeeds where a model can be asked; keys are looked for in the environment alone. */
async function authenticate({ input, connect }: Served): Promise<object> {
  const { access, change, usual_model } = await readTurnOptions(input, contextIn(process.cwd(), connect));
  const client = await connect();
  await client.call('agent.check', { access, change, usual_model });
  return {};
}

/** A context in a folder of the editor's, on the same connection. */
function contextIn(folder: string, connect: Served['connect']): Context {
  try {
    const context = openContext({ json: false, color: 'never', paged: false, folder });
    return { ...context, client: connect };
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError('not_found', `there is no folder ${JSON.stringify(folder.slice(0, 4_096))}`, { cause: error });
  }
}

function openOne({ sessions }: Served, sessionId: string): AcpSession {
  const session = sessions.get(sessionId);
  if (session === undefined) throw RequestError.sessionNotFound(sessionId);
  return session;
}

async function begin(served: Served, cwd: string) {
  const tree = newTreeId();
  const name = { tree, from: null, number: 1 };
  const session = await open(served, { context: contextIn(cwd, served.connect), name, opened: { tree, known: null } });
  return newlyKnown(served, formatSessionId(name), session);
}

/** The answer that makes a session known; only then the editor can be told of its commands. */
async function newlyKnown(served: Served, sessionId: string, session: AcpSession) {
  const answer = { sessionId, ...(await described(session)) };
  setImmediate(() => detach(tellCommands(served, sessionId), () => undefined));
  return answer;
}

function tellCommands(served: Served, sessionId: string): Promise<void> {
  const update = { sessionUpdate: 'available_commands_update' as const, availableCommands: [...AVAILABLE_COMMANDS] };
  return editorOf(served).client.notify('session/update', { sessionId, update });
}

interface Opening {
  context: Context;
  name: SessionName;
  opened: Opened;
}

async function open(served: Served, { context, name, opened }: Opening): Promise<AcpSession> {
  const { sessions, input, connect } = served;
  const [id, client] = [formatSessionId(name), await connect()];
  const options = await readTurnOptions(input, context);
  // What a fork does is not where the person stands in the tree.
  const own = name.from === null ? context : { ...context, session: { ...context.session, ...NOT_SAVED } };
  const session = await openAcpSession({ id, context: own, client, editor: editorOf(served), options, opened });
  sessions.set(id, session);
  return session;
}

const NOT_SAVED = { move: async () => undefined, use: async () => undefined };

async function described(session: AcpSession): Promise<SessionOptions & { _meta: ReturnType<AcpSession['meta']> }> {
  return { ...(await session.options()), _meta: session.meta() };
}

/** The open session, or one opened anew, in the folder of its tree. */
async function reopen(served: Served, { sessionId, cwd }: { sessionId: string; cwd: string }): Promise<AcpSession> {
  const known = served.sessions.get(sessionId);
  if (known !== undefined) return known;
  const name = parseSessionId(sessionId);
  if (name === null) throw RequestError.sessionNotFound(sessionId);
  const tree = await treeOf(served, name, sessionId);
  const here = contextIn(cwd, served.connect);
  const folder = workFolder(tree, here.project);
  const context = folder === here.project ? here : contextIn(folder, served.connect);
  const session = await open(served, { context, name, opened: await placeOf(context, tree, name.from) });
  await tellCommands(served, sessionId);
  return session;
}

async function treeOf({ connect }: Served, { tree }: SessionName, sessionId: string): Promise<Tree> {
  const client = await connect();
  try {
    return await client.call('loom.tree_get', { tree });
  } catch (error) {
    if (error instanceof HubError && error.kind === 'not_found') throw RequestError.sessionNotFound(sessionId);
    throw error;
  }
}

/** Another position in the same tree. */
async function fork(served: Served, { sessionId, cwd }: { sessionId: string; cwd: string }) {
  const source = await reopen(served, { sessionId, cwd });
  const from = source.position();
  if (from === null) throw new HubError('conflict', 'nothing was said yet: there is nothing to fork');
  const { tree } = source.meta().cognition;
  const name = freeName(served, { tree, from, number: 1 });
  const { last_seq: seq } = await treeOf(served, name, sessionId);
  const opened = { tree, known: { position: from, following: null, seq } };
  const session = await open(served, { context: contextIn(source.cwd, served.connect), name, opened });
  return newlyKnown(served, formatSessionId(name), session);
}

function freeName({ sessions }: Served, name: SessionName): SessionName {
  let { number } = name;
  while (sessions.has(formatSessionId({ ...name, number }))) number += 1;
  return { ...name, number };
}

interface ListParams {
  cwd?: string | null | undefined;
  cursor?: string | null | undefined;
}

/** Trees, those of one project where a folder is named. */
async function list({ connect }: Served, { cwd, cursor }: ListParams) {
  const folder = cwd ?? null;
  const project = folder === null ? null : contextIn(folder, connect).project;
  const client = await connect();
  const params = { project, limit: SESSIONS_PAGE, cursor: cursor ?? null };
  const { trees, cursor: next } = await client.call('loom.tree_list', params);
  return { sessions: trees.map((tree) => infoOf(tree, folder)), nextCursor: next };
}

function infoOf(tree: Tree, folder: string | null): SessionInfo {
  const { id, project, updated_at_ms: updated, branch_count: branches, message_count: messages } = tree;
  return {
    ...{ sessionId: id, cwd: folder ?? project ?? userHome(), title: treeWords(tree) },
    updatedAt: new Date(updated).toISOString(),
    _meta: { cognition: { tree: id, branches, messages } },
  };
}

async function closeSession({ sessions }: Served, sessionId: string): Promise<object> {
  const session = sessions.get(sessionId);
  if (session === undefined) throw RequestError.sessionNotFound(sessionId);
  await session.cancel();
  sessions.delete(sessionId);
  await session.close();
  return {};
}

/** Hides a tree; of a fork only the session ends. */
async function archive(served: Served, sessionId: string): Promise<object> {
  const name = parseSessionId(sessionId);
  if (name === null) throw RequestError.sessionNotFound(sessionId);
  const isMade = served.sessions.get(sessionId)?.position() !== null;
  if (served.sessions.has(sessionId)) await closeSession(served, sessionId);
  if (name.from !== null || !isMade) return {};
  const { id } = await treeOf(served, name, sessionId);
  const client = await served.connect();
  await client.call('loom.tree_archive', { tree: id });
  return {};
}
