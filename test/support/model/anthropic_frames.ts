import type { Cached } from './prompt_cache.js';
import { type Part, piecesOf, type Script, signatureOf } from './script.js';

const STOPS = {
  answered: 'end_turn',
  calls: 'tool_use',
  max_tokens: 'max_tokens',
  refused: 'refusal',
  context_too_long: 'model_context_window_exceeded',
};

/** An answer as Anthropic streams it, event by event. */
export function anthropicFrames(script: Script, cached: Cached | null): string[] {
  if (script.kind === 'fail') return [];
  const blocks = script.parts.flatMap((part, index) => block(part, index, script.quirks.includes('split_surrogates')));
  const said = [start(cached, script.quirks.includes('no_usage')), ...blocks];
  if (script.quirks.includes('pings')) said.splice(1, 0, frame({ type: 'ping' }), ': a comment\n\n');
  if (script.quirks.includes('unknown_events')) said.splice(2, 0, frame({ type: 'weather_report', clouds: [1] }));
  switch (script.kind) {
    case 'hang':
    case 'cut':
    case 'close':
      return said;
    case 'garbage':
      return [...said, 'event: content_block_delta\ndata: {"type": "content_bl\n\n'];
    case 'error':
      return [...said, frame({ type: 'error', error: { type: script.type, message: 'something is wrong here' } })];
    default:
      return [...said, ...stop(script)];
  }
}

function stop(script: Extract<Script, { kind: 'say' | 'say_to_anyone' }>): string[] {
  const delta = { stop_reason: script.stop ?? STOPS[script.end], stop_sequence: null };
  const usage = script.quirks.includes('no_usage') ? {} : { usage: { output_tokens: 42 } };
  const last = frame({ type: 'message_delta', delta, ...usage });
  return script.quirks.includes('no_stop_event') ? [last] : [last, frame({ type: 'message_stop' })];
}

function start(cached: Cached | null, isSilent: boolean): string {
  const usage = {
    input_tokens: cached?.input ?? 0,
    cache_read_input_tokens: cached?.read ?? 0,
    cache_creation_input_tokens: (cached?.write5m ?? 0) + (cached?.write1h ?? 0),
    cache_creation: {
      ephemeral_5m_input_tokens: cached?.write5m ?? 0,
      ephemeral_1h_input_tokens: cached?.write1h ?? 0,
    },
    output_tokens: 1,
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'model', stop_reason: null };
  return frame({ type: 'message_start', message: { ...message, ...(isSilent ? {} : { usage }) } });
}

function block(part: Part, index: number, isSplit: boolean): string[] {
  const begin = (content_block: object): string => frame({ type: 'content_block_start', index, content_block });
  const grow = (delta: object): string => frame({ type: 'content_block_delta', index, delta });
  const end = frame({ type: 'content_block_stop', index });
  const pieces = (text: string): string[] => (isSplit ? text.split('') : piecesOf(text));
  switch (part.kind) {
    case 'refusal':
    case 'text':
      return [
        begin({ type: 'text', text: '' }),
        ...pieces(part.text).map((text) => grow({ type: 'text_delta', text })),
        end,
      ];
    case 'thinking':
      return [
        begin({ type: 'thinking', thinking: '', signature: '' }),
        ...pieces(part.text).map((thinking) => grow({ type: 'thinking_delta', thinking })),
        grow({ type: 'signature_delta', signature: signatureOf(part.text) }),
        end,
      ];
    case 'hidden_thinking':
      return [begin({ type: 'redacted_thinking', data: part.data }), end];
    case 'call':
      return [
        begin({ type: 'tool_use', id: part.id, name: part.tool, input: {} }),
        grow({ type: 'input_json_delta', partial_json: '' }),
        ...pieces(part.input).map((partial_json) => grow({ type: 'input_json_delta', partial_json })),
        end,
      ];
  }
}

function frame(event: { type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
