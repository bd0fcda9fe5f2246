import { type Part, piecesOf, type Quirk, type Script } from './script.js';

const STOPS = {
  answered: 'stop',
  calls: 'tool_calls',
  max_tokens: 'length',
  refused: 'content_filter',
  context_too_long: 'length',
};
const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 42,
  total_tokens: 142,
  prompt_tokens_details: { cached_tokens: 60 },
};

/** An answer as OpenAI and its like stream it, chunk by chunk. */
export function openaiFrames(script: Script, body: Record<string, unknown>): string[] {
  if (script.kind === 'fail') return [];
  const { quirks } = script;
  const calls: Part[] = script.parts.filter((part) => part.kind === 'call');
  const said = script.parts.flatMap((part) => deltas(part, calls.indexOf(part), quirks).map(chunk));
  if (quirks.includes('pings')) said.unshift(': keep-alive\n\n');
  if (quirks.includes('unknown_events')) said.unshift(frame({ id: 'c', object: 'weather', clouds: [1] }));
  said.unshift(chunk({ role: 'assistant', content: '' }));
  switch (script.kind) {
    case 'hang':
    case 'cut':
    case 'close':
      return said;
    case 'garbage':
      return [...said, 'data: {"choices": [\n\n'];
    case 'error':
      return [...said, frame({ error: { type: script.type, message: 'something is wrong here' } })];
    default:
      return [...said, ...stop(script, body)];
  }
}

function stop(script: Extract<Script, { kind: 'say' | 'say_to_anyone' }>, body: Record<string, unknown>): string[] {
  const finish_reason = reasonIn(script);
  const last = frame({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason }] });
  const wantsUsage = JSON.stringify(body.stream_options) === '{"include_usage":true}';
  const usage =
    wantsUsage && !script.quirks.includes('no_usage') ? [frame({ id: 'c', choices: [], usage: USAGE })] : [];
  return [last, ...usage, ...(script.quirks.includes('no_stop_event') ? [] : ['data: [DONE]\n\n'])];
}

function reasonIn({ quirks, stop, end }: Extract<Script, { kind: 'say' | 'say_to_anyone' }>): string | null {
  if (quirks.includes('no_reason')) return null;
  if (quirks.includes('empty_reason')) return '';
  return quirks.includes('stop_after_calls') ? 'stop' : (stop ?? STOPS[end]);
}

function deltas(part: Part, index: number, quirks: readonly Quirk[]): object[] {
  const pieces = (text: string): string[] => (quirks.includes('split_surrogates') ? text.split('') : piecesOf(text));
  switch (part.kind) {
    case 'text':
      return pieces(part.text).map((content) =>
        quirks.includes('content_parts')
          ? { content: [{ type: 'thinking' }, { type: 'text', text: content }] }
          : { content },
      );
    case 'thinking':
      return pieces(part.text).map((thought) =>
        quirks.includes('reasoning_field') ? { reasoning: thought } : { reasoning_content: thought },
      );
    case 'hidden_thinking':
      return [];
    case 'refusal':
      return pieces(part.text).map((refusal) => ({ refusal }));
    case 'call':
      return callDeltas(part, index, quirks).map((call) => ({ tool_calls: [call] }));
  }
}

function callDeltas(call: Extract<Part, { kind: 'call' }>, index: number, quirks: readonly Quirk[]): object[] {
  const at = quirks.includes('no_index') ? {} : { index: quirks.includes('index_zero') ? 0 : index };
  const id = quirks.includes('no_ids') ? {} : { id: call.id };
  const name = { name: call.tool };
  const pieces = quirks.includes('split_surrogates') ? (text: string) => text.split('') : piecesOf;
  if (quirks.includes('object_arguments')) {
    return [{ ...at, ...id, type: 'function', function: { ...name, arguments: JSON.parse(call.input) } }];
  }
  if (quirks.includes('whole_calls')) return [{ ...at, ...id, function: { ...name, arguments: call.input } }];
  const again = quirks.includes('repeated_names') ? { ids: id, names: name } : { ids: {}, names: {} };
  return [
    { ...at, ...id, type: 'function', function: { ...name, arguments: '' } },
    ...pieces(call.input).map((text) => ({ ...at, ...again.ids, function: { ...again.names, arguments: text } })),
  ];
}

function chunk(delta: object): string {
  return frame({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] });
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
