import * as z from 'zod';
import { AgentId, type Fault } from '../../hub/protocol/outside_agent.js';
import type { AgentDialogue, AgentStart, Wire } from './agent_cli.js';
import { faultOf, faultOfRequest, type NamedCli } from './fault.js';

const State = z.object({ sessionId: AgentId, model: z.object({ id: z.string() }).nullish() });
const tokens = z.int().nonnegative().catch(0);

const Answer = z.object({
  role: z.literal('assistant'),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() }).catch({ type: 'other' })),
  stopReason: z.string().optional(),
  errorMessage: z.string().optional(),
  usage: z.object({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens }).optional(),
});

const Line = z.discriminatedUnion('type', [
  z.object({
    ...{ type: z.literal('response'), command: z.string(), success: z.boolean() },
    ...{ error: z.string().optional(), data: z.unknown().optional() },
  }),
  z.object({
    type: z.literal('message_update'),
    assistantMessageEvent: z.object({ type: z.string(), delta: z.string().optional() }),
  }),
  z.object({ type: z.literal('message_end'), message: z.unknown().optional() }),
  z.object({
    ...{
      type: z.literal('tool_execution_start'),
      toolCallId: z.string(),
      toolName: z.string(),
      args: z.unknown().optional(),
    },
  }),
  z.object({
    ...{ type: z.literal('tool_execution_end'), toolCallId: z.string(), isError: z.boolean().catch(false) },
    result: z.object({ content: Answer.shape.content }).catch({ content: [] }),
  }),
  z.object({ type: z.literal('agent_end') }),
]);
type Line = z.infer<typeof Line>;
type LineOf<T extends Line['type']> = Extract<Line, { type: T }>;

interface Exchange {
  text: string;
  fault: Fault | null;
  isCancelled: boolean;
}

interface Speech {
  cli: NamedCli;
  wire: Wire;
  /** The session that it must answer in; null for a new one. */
  expected: AgentId | null;
  session: AgentId | null;
  exchange: Exchange | null;
}

/** The lines of `pi --mode rpc`, both ways. */
export function piConversation(cli: NamedCli, wire: Wire, { opening }: AgentStart): AgentDialogue {
  const expected = opening.kind === 'resume' ? opening.session : null;
  const speech: Speech = { cli, wire, expected, session: null, exchange: null };
  wire.send({ type: 'get_state' });
  return {
    take(message) {
      const line = Line.safeParse(message);
      if (line.success) takeLine(speech, line.data);
    },
    say(text) {
      const type = speech.exchange === null ? 'prompt' : 'steer';
      speech.exchange ??= { text: '', fault: null, isCancelled: false };
      if (!endIfSwitched(speech)) wire.send({ type, message: text });
    },
    // It runs what it wants: the sandbox is around it.
    answer: () => undefined,
    cancel() {
      if (speech.exchange !== null) speech.exchange.isCancelled = true;
      wire.send({ type: 'abort' });
    },
  };
}

function takeLine(speech: Speech, line: Line): void {
  switch (line.type) {
    case 'response':
      takeResponse(speech, line);
      break;
    case 'message_update':
      takePiece(speech, line);
      break;
    case 'message_end':
      takeAnswer(speech, line);
      break;
    case 'tool_execution_start':
      speech.wire.emit({ kind: 'call_started', call: line.toolCallId, tool: line.toolName, input: line.args ?? {} });
      break;
    case 'tool_execution_end': {
      const text = line.result.content.map((part) => part.text ?? '').join('\n');
      speech.wire.emit({ kind: 'call_ended', call: line.toolCallId, text, failed: line.isError });
      break;
    }
    case 'agent_end':
      end(speech);
  }
}

function takeResponse(speech: Speech, { command, success, error, data }: LineOf<'response'>): void {
  const { cli, wire, exchange } = speech;
  if (!success && exchange !== null && command === 'prompt') {
    exchange.fault = faultOfRequest(cli, null, error ?? '');
    end(speech);
  }
  const state = State.safeParse(data);
  if (command !== 'get_state' || !state.success) return;
  const { sessionId, model } = state.data;
  speech.session = sessionId;
  wire.emit({ kind: 'opened', session: sessionId, model: model?.id ?? null });
  endIfSwitched(speech);
}

/** Ends an exchange in another session than it was to be in. */
function endIfSwitched(speech: Speech): boolean {
  const { cli, expected, session, exchange } = speech;
  if (expected === null || session === null || session === expected) return false;
  if (exchange !== null) exchange.fault = faultOf(cli, 'session_switched', '');
  end(speech);
  return true;
}

function takePiece(
  { wire, exchange }: Speech,
  { assistantMessageEvent: { type, delta } }: LineOf<'message_update'>,
): void {
  if (delta === undefined) return;
  if (type === 'thinking_delta') wire.emit({ kind: 'thinking', text: delta });
  if (type !== 'text_delta') return;
  if (exchange !== null) exchange.text += delta;
  wire.emit({ kind: 'text', text: delta });
}

function takeAnswer({ cli, wire, exchange }: Speech, { message }: LineOf<'message_end'>): void {
  const answer = Answer.safeParse(message);
  if (!answer.success || exchange === null) return;
  const { content, stopReason, errorMessage, usage } = answer.data;
  if (usage !== undefined) {
    wire.emit({
      ...{ kind: 'used', input_tokens: usage.input, output_tokens: usage.output },
      ...{ cache_read_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    });
  }
  // A later try replaces the failure of an earlier one.
  exchange.fault = stopReason === 'error' ? faultOfRequest(cli, null, errorMessage ?? '') : null;
  // What counts as the answer is what was said last.
  exchange.text = content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}

function end(speech: Speech): void {
  const { cli, wire, session, exchange } = speech;
  if (exchange === null) return;
  speech.exchange = null;
  const { text, isCancelled, fault } = exchange;
  const empty = fault === null && text === '' ? faultOf(cli, 'empty', '') : fault;
  wire.emit({ kind: 'ended', session, at: null, text, fault: isCancelled ? faultOf(cli, 'cancelled', '') : empty });
}
