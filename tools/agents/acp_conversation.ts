import type { AgentId, Fault } from '../../hub/protocol/outside_agent.js';
import {
  type AcpCall,
  AcpError,
  AcpInitialized,
  AcpLoaded,
  AcpPermission,
  AcpPromptEnd,
  AcpSession,
  AcpUpdate,
  acpOutput,
  acpUsage,
  faultOfStop,
  outcomeFor,
  permissionInput,
  type AcpUpdate as Update,
} from './acp_lines.js';
import type { AgentDialogue, AgentStart, Decision, Message, Transport, Wire } from './agent_cli.js';
import { faultOf, faultOfRequest, type NamedCli } from './fault.js';

/** The Agent Client Protocol over standard input and output. */
export function acpTransport(
  cli: NamedCli,
  { words, modelOption }: { words: readonly string[]; modelOption: string | null },
): Transport {
  return {
    arguments: ({ model }) => [...words, ...(model === null || modelOption === null ? [] : [modelOption, model])],
    converse: (wire, start) => {
      const chosen = modelOption === null ? start : { ...start, model: null };
      return acpConversation(cli, wire, chosen);
    },
  };
}

interface Outcome {
  onResult(result: unknown): void;
  /** Absent where a failure ends the exchange. */
  onError?(): void;
}

interface State {
  cli: NamedCli;
  wire: Wire;
  start: AgentStart;
  /** What waits for an answer of the agent, by the ids of the requests. */
  open: Map<number, Outcome>;
  requests: number;
  /** Null until it is open; what is told before that is an old session played again. */
  session: AgentId | null;
  /** What is to be said, one prompt after the other: there is no steering. */
  waiting: string[];
  /** What was told of an old session so far. */
  replayed: number;
  text: string;
  isBusy: boolean;
  isPrompted: boolean;
  /** Whether its instructions have been told: there is no other place for them than the first prompt. */
  isInstructed: boolean;
  isCancelled: boolean;
  /** Why the session could not be opened. */
  failure: Fault | null;
  calls: Set<string>;
  permissions: Map<string, AcpPermission>;
}

/** JSON-RPC 2.0 in lines: a session is opened, and each exchange is one prompt of it. */
function acpConversation(cli: NamedCli, wire: Wire, start: AgentStart): AgentDialogue {
  const state: State = {
    ...{ cli, wire, start, open: new Map(), requests: 0, session: null, waiting: [], replayed: 0, text: '' },
    ...{
      isBusy: false,
      isPrompted: false,
      isInstructed: false,
      isCancelled: false,
      failure: null,
      calls: new Set(),
      permissions: new Map(),
    },
  };
  const clientInfo = { name: 'cognition', title: 'cognition', version: '1' };
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false } };
  request(state, ['initialize', { protocolVersion: 1, clientCapabilities, clientInfo }], (result) => {
    const known = AcpInitialized.safeParse(result);
    if (known.success) openSession(state, known.data);
    else end(state, faultOf(cli, 'protocol', ''));
  });
  return {
    take: (message) => takeMessage(state, message),
    say(words) {
      if (!state.isBusy) Object.assign(state, { text: '', isCancelled: false, isBusy: true });
      state.waiting.push(words);
      if (state.failure === null) prompt(state);
      else end(state, state.failure);
    },
    answer: (question, decision) => answer(state, question, decision),
    cancel: () => cancel(state),
  };
}

function request(state: State, [method, params]: readonly [string, object], onResult: (result: unknown) => void): void {
  state.requests += 1;
  state.open.set(state.requests, { onResult });
  state.wire.send({ jsonrpc: '2.0', id: state.requests, method, params });
}

function openSession(state: State, { agentCapabilities = {} }: AcpInitialized): void {
  const { cli, start, wire } = state;
  const { cwd, opening } = start;
  const place = { cwd, mcpServers: [] };
  const { loadSession, sessionCapabilities } = agentCapabilities;
  const opened = (session: AgentId): void => {
    state.session = session;
    wire.emit({ kind: 'opened', session, model: start.model });
    const option = { sessionId: session, configId: 'model', value: start.model };
    if (start.model === null) prompt(state);
    else request(state, ['session/set_config_option', option], () => prompt(state));
  };
  if (opening.kind === 'new' || opening.kind === 'items') {
    request(state, ['session/new', place], (result) => {
      const made = AcpSession.safeParse(result);
      if (made.success) opened(made.data.sessionId);
      else end(state, faultOf(cli, 'protocol', ''));
    });
    return;
  }
  const { session: sessionId } = opening;
  const canResume = sessionCapabilities?.resume != null;
  // Whatever a fork at a point, this protocol has none.
  if (opening.kind === 'fork' || !(canResume || loadSession === true)) {
    end(state, faultOf(cli, 'session_lost', 'it cannot go on in a session'));
    return;
  }
  request(state, [canResume ? 'session/resume' : 'session/load', { ...place, sessionId }], (result) => {
    const told = AcpLoaded.safeParse(result).data?.sessionId ?? sessionId;
    if (told !== sessionId) end(state, faultOf(cli, 'session_switched', ''));
    else if (canResume) opened(sessionId);
    else afterReplay(state, () => opened(sessionId));
  });
}

/** Waits until an old session has been told to its end: gemini goes on with that after it has answered. */
function afterReplay(state: State, then: () => void): void {
  const { replayed } = state;
  const onResult = (): void => {
    if (state.replayed === replayed) then();
    else afterReplay(state, then);
  };
  request(state, ['_cognition/ping', {}], onResult);
  // No agent knows it: that it is refused is the answer.
  state.open.set(state.requests, { onResult, onError: onResult });
}

/** Says what waits, when nothing is being answered. */
function prompt(state: State): void {
  const { session: sessionId, start, isPrompted } = state;
  if (sessionId === null || isPrompted || !state.isBusy) return;
  const words = state.waiting.shift();
  if (words === undefined) return;
  state.isPrompted = true;
  const isNew = start.opening.kind === 'new' && !state.isInstructed;
  state.isInstructed = true;
  const text = isNew && start.instructions !== null ? `${start.instructions}\n\n${words}` : words;
  request(state, ['session/prompt', { sessionId, prompt: [{ type: 'text', text }] }], (result) => {
    state.isPrompted = false;
    takeEnd(state, result);
  });
}

function takeEnd(state: State, result: unknown): void {
  const done = AcpPromptEnd.safeParse(result);
  if (!done.success) {
    end(state, faultOf(state.cli, 'protocol', ''));
    return;
  }
  const { stopReason } = done.data;
  const used = acpUsage(done.data);
  if (used !== null) state.wire.emit({ kind: 'used', ...used });
  if (stopReason === 'end_turn' && state.waiting.length > 0 && !state.isCancelled) prompt(state);
  else end(state, faultOfStop(state, stopReason));
}

function end(state: State, found: Fault | null): void {
  const { cli, wire, session, text, isCancelled } = state;
  if (session === null) state.failure = found;
  if (!state.isBusy) return;
  Object.assign(state, { isBusy: false, isPrompted: false, waiting: [] });
  state.permissions.clear();
  wire.emit({ kind: 'ended', session, at: null, text, fault: isCancelled ? faultOf(cli, 'cancelled', '') : found });
}

function cancel(state: State): void {
  const { wire, session } = state;
  state.isCancelled = true;
  state.waiting = [];
  for (const { id } of state.permissions.values()) wire.send(outcomeFor(id, null));
  state.permissions.clear();
  if (session === null || !state.isPrompted) end(state, null);
  else wire.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } });
}

function answer(state: State, question: string, decision: Decision): void {
  const permission = state.permissions.get(question);
  if (permission === undefined) return;
  state.permissions.delete(question);
  const wanted = decision.kind === 'deny' ? ['reject_once', 'reject_always'] : ['allow_once', 'allow_always'];
  const options = wanted.flatMap((kind) => permission.params.options.filter((option) => option.kind === kind));
  state.wire.send(outcomeFor(permission.id, options[0]?.optionId ?? null));
}

function takeMessage(state: State, message: Message): void {
  if ('method' in message && 'id' in message) takeRequest(state, message);
  else if ('id' in message) takeResponse(state, message);
  else {
    const update = AcpUpdate.safeParse(message);
    // What comes while a session is opened was said before.
    if (state.session === null) state.replayed += 1;
    else if (update.success) takeUpdate(state, update.data.params.update);
  }
}

function takeResponse(state: State, { id, result, error }: Message): void {
  const outcome = state.open.get(Number(id));
  state.open.delete(Number(id));
  const failure = AcpError.safeParse(error);
  if (!failure.success) outcome?.onResult(result);
  else if (outcome?.onError !== undefined) outcome.onError();
  else end(state, faultFrom(state, failure.data));
}

const AUTHENTICATION_REQUIRED = -32000;

function faultFrom(
  { cli, session, start }: State,
  { code, message, data }: { code: number; message: string; data?: unknown },
): Fault {
  const words = typeof data === 'string' ? `${message}: ${data}` : message;
  if (code === AUTHENTICATION_REQUIRED) return faultOf(cli, 'not_logged_in', words);
  if (session === null && start.opening.kind === 'resume') return faultOf(cli, 'session_lost', words);
  return faultOfRequest(cli, code > 0 ? code : null, words);
}

function takeRequest(state: State, message: Message): void {
  const permission = AcpPermission.safeParse(message);
  if (!permission.success) {
    const error = { code: -32601, message: `${String(message.method)} is not supported` };
    state.wire.send({ jsonrpc: '2.0', id: message.id, error });
    return;
  }
  const { id, params } = permission.data;
  startCall(state, params.toolCall);
  const question = String(id);
  state.permissions.set(question, permission.data);
  state.wire.emit({
    ...{ kind: 'asked', question, call: params.toolCall.toolCallId, isPermission: true, options: [] },
    ...{ text: params.toolCall.title ?? 'a call', tool: params.toolCall.kind ?? 'a call' },
    input: permissionInput(params.toolCall),
  });
}

function takeUpdate(state: State, update: Update): void {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      state.text += update.content.text ?? '';
      if (update.content.text !== undefined) state.wire.emit({ kind: 'text', text: update.content.text });
      break;
    case 'agent_thought_chunk':
      if (update.content.text !== undefined) state.wire.emit({ kind: 'thinking', text: update.content.text });
      break;
    case 'tool_call':
    case 'tool_call_update':
      takeCall(state, update);
  }
}

function takeCall(state: State, call: AcpCall): void {
  // Until it runs its input may be missing.
  if (call.status !== 'pending') startCall(state, call);
  if (call.status !== 'completed' && call.status !== 'failed') return;
  state.calls.delete(call.toolCallId);
  state.wire.emit({
    ...{ kind: 'call_ended', call: call.toolCallId, text: acpOutput(call), failed: call.status === 'failed' },
  });
}

function startCall({ calls, wire }: State, { toolCallId, kind, title, rawInput }: AcpCall): void {
  if (calls.has(toolCallId)) return;
  calls.add(toolCallId);
  const input = rawInput ?? { title: title ?? '' };
  wire.emit({ kind: 'call_started', call: toolCallId, tool: kind ?? 'tool', input });
}
