import type { AgentId, Fault } from '../../hub/protocol/outside_agent.js';
import type { AgentDialogue, AgentStart, Decision, Message, Transport, Wire } from './agent_cli.js';
import {
  CodexApproval,
  CodexNotice,
  type CodexNoticeOf,
  CodexThread,
  CodexTurn,
  endItem,
  RequestError,
  startItem,
  statusIn,
} from './codex_lines.js';
import { faultOf, faultOfRequest, type NamedCli } from './fault.js';

/** `codex app-server`: JSON-RPC in lines, without the field `jsonrpc`. */
export function codexServer(cli: NamedCli, configuration: (start: AgentStart) => string[]): Transport {
  return {
    arguments: (start) => ['app-server', ...configuration(start)],
    converse: (wire, start) => converse({ cli, wire, start }),
  };
}

interface Served {
  cli: NamedCli;
  wire: Wire;
  start: AgentStart;
}

interface State extends Served {
  calls: Requests;
  /** Null until it is open. */
  session: AgentId | null;
  /** Null between two. */
  turn: AgentId | null;
  text: string;
  isBusy: boolean;
  isCancelled: boolean;
  /** What calls that change files would change, by path, until they end. */
  changes: Map<string, Record<string, string>>;
  /** What was said before the session was open. */
  waiting: string[];
}

function converse(served: Served): AgentDialogue {
  const { wire } = served;
  const state: State = {
    ...{ ...served, calls: requestsOver(wire), session: null, turn: null, text: '' },
    ...{ isBusy: false, isCancelled: false, waiting: [], changes: new Map() },
  };
  const clientInfo = { name: 'cognition', title: 'cognition', version: '1' };
  request(state, ['initialize', { clientInfo }], () => {
    wire.send({ method: 'initialized' });
    open(state);
  });
  return {
    take: (message) => takeMessage(state, message),
    say(words) {
      if (!state.isBusy) Object.assign(state, { text: '', isCancelled: false });
      state.isBusy = true;
      if (state.session === null) state.waiting.push(words);
      else begin(state, words);
    },
    answer: (question, decision) => wire.send({ id: Number(question), result: { decision: wordFor(decision) } }),
    cancel() {
      state.isCancelled = true;
      state.waiting = [];
      interrupt(state);
    },
  };
}

/** Calls a method; a failure ends the exchange. */
function request(state: State, call: readonly [string, object], onResult: (result: unknown) => void): void {
  const onError = (words: string): void => end(state, faultOfRequest(state.cli, null, words), null);
  state.calls.send(call, { onResult, onError });
}

function open(state: State): void {
  const { cwd, model, level, opening } = state.start;
  const place = {
    ...{ cwd, approvalPolicy: level === 'ask' ? 'untrusted' : 'never' },
    // Ours is around it, and its own cannot be in another.
    sandbox: 'danger-full-access',
    ...(model === null ? {} : { model }),
  };
  const [method, params] = openingCall(opening);
  request(state, [method, { ...params, ...place }], (result) => opened(state, result));
}

function opened(state: State, result: unknown): void {
  const { cli, wire, start } = state;
  const { opening } = start;
  const thread = CodexThread.safeParse(result);
  if (!thread.success) {
    end(state, faultOf(cli, 'protocol', ''), null);
    return;
  }
  const { id } = thread.data.thread;
  state.session = id;
  wire.emit({ kind: 'opened', session: id, model: thread.data.model ?? null });
  const sayWaiting = (): void => {
    for (const words of state.waiting.splice(0)) begin(state, words);
  };
  if (opening.kind === 'resume' && id !== opening.session) end(state, faultOf(cli, 'session_switched', ''), null);
  else if (opening.kind === 'items')
    request(state, ['thread/inject_items', { threadId: id, items: opening.items }], sayWaiting);
  else sayWaiting();
}

function begin(state: State, words: string): void {
  const { session: threadId, turn } = state;
  const input = [{ type: 'text', text: words }];
  if (turn !== null) {
    request(state, ['turn/steer', { threadId, expectedTurnId: turn, input }], () => undefined);
    return;
  }
  request(state, ['turn/start', { threadId, input }], (result) => {
    state.turn = CodexTurn.safeParse(result).data?.turn.id ?? state.turn;
    if (state.isCancelled) interrupt(state);
  });
}

function interrupt(state: State): void {
  const { session: threadId, turn: turnId } = state;
  if (turnId !== null) request(state, ['turn/interrupt', { threadId, turnId }], () => undefined);
}

function end(state: State, found: Fault | null, at: AgentId | null): void {
  const { cli, wire, session, text } = state;
  if (!state.isBusy) return;
  const fault = state.isCancelled ? faultOf(cli, 'cancelled', '') : found;
  const empty = fault === null && text === '' ? faultOf(cli, 'empty', '') : null;
  Object.assign(state, { isBusy: false, turn: null });
  wire.emit({ kind: 'ended', session, at, text, fault: fault ?? empty });
}

function takeMessage(state: State, message: Message): void {
  if ('method' in message && 'id' in message) takeRequest(state, message);
  else if ('id' in message) state.calls.take(message);
  else {
    const notice = CodexNotice.safeParse(message);
    if (notice.success) takeNotice(state, notice.data);
  }
}

function takeRequest(state: State, message: Message): void {
  const { wire } = state;
  const approval = CodexApproval.safeParse(message);
  if (!approval.success) {
    wire.send({ id: message.id, error: { code: -32601, message: `${String(message.method)} is not supported` } });
    return;
  }
  const { id, params } = approval.data;
  const { itemId = '', command, reason } = params;
  const changed = state.changes.get(itemId) ?? {};
  wire.emit({
    ...{ kind: 'asked', question: String(id), call: params.itemId ?? null, isPermission: true, options: [] },
    ...{ text: command ?? reason ?? 'a change of files', tool: command == null ? 'edit' : 'shell' },
    input: { ...(reason == null ? {} : { reason }), ...(command == null ? changed : { command }) },
  });
}

function takeNotice(state: State, notice: CodexNotice): void {
  const { wire, turn } = state;
  // A turn of a sub-agent, or one that was given up, is not the exchange.
  if ('turnId' in notice.params && turn !== null && notice.params.turnId !== turn) return;
  switch (notice.method) {
    case 'item/agentMessage/delta':
      state.text += notice.params.delta;
      wire.emit({ kind: 'text', text: notice.params.delta });
      break;
    case 'item/reasoning/summaryTextDelta':
      wire.emit({ kind: 'thinking', text: notice.params.delta });
      break;
    case 'item/started':
      if (notice.params.item.type === 'agentMessage') state.text = '';
      startItem(wire, notice.params.item);
      noteChanges(state, notice.params.item);
      break;
    case 'item/completed':
      if (notice.params.item.type === 'agentMessage') state.text = notice.params.item.text ?? state.text;
      endItem(wire, notice.params.item);
      state.changes.delete(notice.params.item.id);
      break;
    case 'thread/tokenUsage/updated': {
      const { inputTokens, outputTokens, cachedInputTokens } = notice.params.tokenUsage.last;
      const input_tokens = Math.max(0, inputTokens - cachedInputTokens);
      wire.emit({
        ...{ kind: 'used', input_tokens, output_tokens: outputTokens },
        ...{ cache_read_tokens: cachedInputTokens, cache_write_tokens: 0 },
      });
      break;
    }
    case 'error':
      if (notice.params.willRetry) wire.emit({ kind: 'noted', text: notice.params.error.message });
      break;
    case 'turn/completed':
      takeEnd(state, notice);
  }
}

function noteChanges({ changes }: State, { id, changes: told }: CodexNoticeOf<'item/started'>['params']['item']): void {
  if (told !== undefined) changes.set(id, Object.fromEntries(told.map(({ path, diff }) => [path, diff])));
}

function takeEnd(state: State, { params }: CodexNoticeOf<'turn/completed'>): void {
  const { id, status, error } = params.turn;
  if (state.turn !== null && id !== state.turn) return;
  if (status === 'interrupted') end(state, faultOf(state.cli, 'cancelled', ''), id);
  else end(state, error == null ? null : faultOfRequest(state.cli, statusIn(error.codexErrorInfo), error.message), id);
}

function openingCall(opening: AgentStart['opening']): [string, object] {
  switch (opening.kind) {
    case 'new':
    case 'items':
      return ['thread/start', {}];
    case 'resume':
      return ['thread/resume', { threadId: opening.session }];
    case 'fork': {
      const { session: threadId, at } = opening;
      return ['thread/fork', at === null ? { threadId } : { threadId, lastTurnId: at }];
    }
  }
}

function wordFor(decision: Decision): string {
  return decision.kind === 'deny' ? 'decline' : 'accept';
}

interface Outcomes {
  onResult(result: unknown): void;
  onError(words: string): void;
}

interface Requests {
  send(call: readonly [method: string, params: object], outcomes: Outcomes): void;
  take(message: Message): void;
}

function requestsOver(wire: Wire): Requests {
  const open = new Map<unknown, Outcomes>();
  let last = 0;
  return {
    send([method, params], outcomes) {
      last += 1;
      open.set(last, outcomes);
      wire.send({ id: last, method, params });
    },
    take({ id, result, error }) {
      const outcomes = open.get(id);
      open.delete(id);
      const failure = RequestError.safeParse(error);
      if (failure.success) outcomes?.onError(failure.data.message);
      else outcomes?.onResult(result);
    },
  };
}
