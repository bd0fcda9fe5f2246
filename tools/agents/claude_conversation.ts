import type { AgentId, Fault } from '../../hub/protocol/outside_agent.js';
import type { AgentDialogue, AgentStart, Decision, Wire } from './agent_cli.js';
import { type ClaudeBlock, ClaudeLine, type ClaudeLineOf, textIn } from './claude_lines.js';
import { faultOf, faultOfRequest, type NamedCli } from './fault.js';

/** What an exchange has come to so far. */
interface Spoken {
  /** The newest message of the assistant: where it can be forked. */
  at: AgentId | null;
  streamed: string;
  /** Whether the text of the message under way came in pieces. */
  isStreamed: boolean;
  calls: number;
  isCancelled: boolean;
}

interface State {
  cli: NamedCli;
  wire: Wire;
  /** Null between two. */
  exchange: Spoken | null;
  /** The session that it must answer in; null while it has none. */
  expected: AgentId | null;
  /** The session that was told last. */
  told: AgentId | null;
  /** The inputs of calls that wait for a decision. */
  pending: Map<string, unknown>;
  cancels: number;
}

/** The lines of Claude Code, both ways; where it runs once, those that it prints. */
export function claudeConversation(cli: NamedCli, wire: Wire, { opening }: AgentStart): AgentDialogue {
  const expected = opening.kind === 'resume' ? opening.session : null;
  const state: State = {
    ...{ cli, wire, exchange: newExchange(), expected, told: null, pending: new Map(), cancels: 0 },
  };
  return {
    take(message) {
      const line = ClaudeLine.safeParse(message);
      if (line.success) takeLine(state, line.data);
    },
    say(text) {
      state.exchange ??= newExchange();
      wire.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
    },
    answer(question, decision) {
      if (!state.pending.has(question)) return;
      const response = responseTo(decision, state.pending.get(question));
      state.pending.delete(question);
      wire.send({ type: 'control_response', response: { subtype: 'success', request_id: question, response } });
    },
    cancel() {
      if (state.exchange !== null) state.exchange.isCancelled = true;
      state.cancels += 1;
      const request_id = `cancel-${state.cancels}`;
      wire.send({ type: 'control_request', request_id, request: { subtype: 'interrupt' } });
    },
  };
}

function newExchange(): Spoken {
  return { at: null, streamed: '', isStreamed: false, calls: 0, isCancelled: false };
}

function takeLine(state: State, line: ClaudeLine): void {
  switch (line.type) {
    case 'system':
      takeSystem(state, line);
      break;
    case 'stream_event':
      takePiece(state, line);
      break;
    case 'assistant':
    case 'user':
      takeMessage(state, line);
      break;
    case 'control_request':
      takeRequest(state, line);
      break;
    case 'result':
      takeResult(state, line);
  }
}

function takeSystem(state: State, { subtype, session_id, model, error }: ClaudeLineOf<'system'>): void {
  const { wire } = state;
  if (subtype === 'init' && session_id !== undefined && session_id !== state.told) {
    state.told = session_id;
    wire.emit({ kind: 'opened', session: session_id, model: model ?? null });
  }
  if (subtype === 'api_retry') {
    wire.emit({ kind: 'noted', text: `its request failed (${error ?? 'it does not say why'}) and is sent again` });
  }
}

function takePiece(state: State, { parent_tool_use_id, event }: ClaudeLineOf<'stream_event'>): void {
  // What a sub-agent says is in the result of its call.
  if (parent_tool_use_id != null) return;
  const { type, delta } = event;
  if (type === 'message_start' && state.exchange !== null) state.exchange.isStreamed = false;
  if (delta?.thinking !== undefined) state.wire.emit({ kind: 'thinking', text: delta.thinking });
  if (delta?.type !== 'text_delta' || delta.text === undefined) return;
  if (state.exchange !== null) state.exchange.isStreamed = true;
  addText(state, delta.text);
}

function addText({ exchange, wire }: State, text: string): void {
  if (exchange !== null) exchange.streamed += text;
  wire.emit({ kind: 'text', text });
}

function takeMessage(state: State, line: ClaudeLineOf<'assistant' | 'user'>): void {
  if (line.parent_tool_use_id != null) return;
  const isAnswer = line.type === 'assistant';
  if (isAnswer && state.exchange !== null) state.exchange.at = line.uuid ?? state.exchange.at;
  // The person's own words come back as well.
  for (const block of line.message.content) if (isAnswer || block.type !== 'text') takeBlock(state, block);
}

function takeBlock(state: State, block: ClaudeBlock): void {
  const { exchange, wire } = state;
  switch (block.type) {
    case 'text':
      if (exchange?.isStreamed === false) addText(state, block.text);
      break;
    case 'tool_use':
      if (exchange !== null) exchange.calls += 1;
      wire.emit({ kind: 'call_started', call: block.id, tool: block.name, input: block.input ?? {} });
      break;
    case 'tool_result': {
      const failed = block.is_error === true;
      wire.emit({ kind: 'call_ended', call: block.tool_use_id, text: textIn(block.content), failed });
      break;
    }
    case 'other':
      break;
  }
}

function takeRequest({ wire, pending }: State, { request_id, request }: ClaudeLineOf<'control_request'>): void {
  const { subtype, tool_name: tool = 'a tool', input, tool_use_id, description } = request;
  if (subtype !== 'can_use_tool') {
    const response = { subtype: 'error', request_id, error: `${subtype} is not supported` };
    wire.send({ type: 'control_response', response });
    return;
  }
  pending.set(request_id, input);
  const text = description === undefined ? tool : `${tool}: ${description}`;
  wire.emit({
    ...{ kind: 'asked', question: request_id, call: tool_use_id ?? null, text },
    ...{ options: [], isPermission: true, tool, input: input ?? null },
  });
}

function takeResult(state: State, result: ClaudeLineOf<'result'>): void {
  const { wire, exchange } = state;
  const { usage, origin, session_id } = result;
  // What an agent in the background adds later belongs to no exchange.
  if (exchange === null || origin?.kind === 'task-notification') return;
  if (usage !== undefined) {
    const { cache_read_input_tokens, cache_creation_input_tokens, input_tokens, output_tokens } = usage;
    wire.emit({
      ...{ kind: 'used', input_tokens, output_tokens },
      ...{ cache_read_tokens: cache_read_input_tokens, cache_write_tokens: cache_creation_input_tokens },
    });
  }
  const fault = faultIn(state, exchange, result);
  const text = fault === null ? (result.result ?? exchange.streamed) : exchange.streamed;
  state.exchange = null;
  state.expected = session_id;
  wire.emit({ kind: 'ended', session: session_id, at: exchange.at, text, fault });
}

function faultIn({ cli, expected }: State, exchange: Spoken, result: ClaudeLineOf<'result'>): Fault | null {
  const { is_error, subtype, terminal_reason, api_error_status, session_id } = result;
  const words = result.errors?.join('\n') ?? result.result ?? '';
  if (exchange.isCancelled) return faultOf(cli, 'cancelled', '');
  if (subtype === 'error_max_turns') return faultOf(cli, 'timeout', 'it reached its limit of requests');
  if (is_error || terminal_reason === 'api_error') return faultOfRequest(cli, api_error_status ?? null, words);
  if (expected !== null && session_id !== expected) return faultOf(cli, 'session_switched', '');
  const isEmpty = (result.result ?? exchange.streamed) === '' && exchange.calls === 0;
  return isEmpty ? faultOf(cli, 'empty', '') : null;
}

function responseTo(decision: Decision, input: unknown): object {
  if (decision.kind === 'deny') return { behavior: 'deny', message: decision.reason };
  const changed = decision.kind === 'allow' ? (decision.input ?? input) : input;
  return { behavior: 'allow', updatedInput: changed };
}
