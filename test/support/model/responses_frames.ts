import { type Part, piecesOf, type Script, signatureOf } from './script.js';

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  output_tokens: 42,
  output_tokens_details: { reasoning_tokens: 7 },
  total_tokens: 142,
};

/** The encrypted item that this server makes of a thought, by which it knows its own again. */
export function reasoningItem(text: string): Record<string, unknown> {
  const encrypted_content = `gAAAA-${signatureOf(text)}`;
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return { id: `rs_${signatureOf(text)}`, type: 'reasoning', encrypted_content, summary, of_the_future: { a: 1 } };
}

/** An answer as OpenAI's Responses API streams it, event by event. */
export function responsesFrames(script: Script): string[] {
  if (script.kind === 'fail') return [];
  const frame = framer();
  const { parts, quirks } = script;
  const isWhole = quirks.includes('whole_items');
  const isLate = quirks.includes('late_items');
  const said = [frame('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } })];
  if (quirks.includes('pings')) said.push(': keep-alive\n\n');
  if (quirks.includes('unknown_events')) said.push(frame('response.weather.report', { clouds: [1] }));
  const isSplit = quirks.includes('split_surrogates');
  for (const [index, part] of parts.entries()) {
    if (!isWhole && !isLate) said.push(...pieceFrames(part, index, { frame, isSplit }));
    const { encrypted_content: _, ...plain } = itemOf(part, index);
    const item = quirks.includes('no_encryption') ? plain : itemOf(part, index);
    if (!isLate) said.push(frame('response.output_item.done', { output_index: index, item }));
  }
  switch (script.kind) {
    case 'hang':
    case 'cut':
    case 'close':
      return said;
    case 'garbage':
      return [...said, 'event: response.output_text.delta\ndata: {"type": "response.out\n\n'];
    case 'error':
      if (quirks.includes('failed_response')) {
        const error = { code: script.type, message: 'something is wrong here' };
        return [...said, frame('response.failed', { response: { id: 'resp_1', status: 'failed', output: [], error } })];
      }
      return [...said, frame('error', { code: script.type, message: 'something is wrong here', param: null })];
    default:
      return [...said, last(script, frame)];
  }
}

type Frame = (type: string, fields: object) => string;

function framer(): Frame {
  let sequence_number = 0;
  return (type, fields) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...fields })}\n\n`;
}

function last(script: Extract<Script, { kind: 'say' | 'say_to_anyone' }>, frame: Frame): string {
  const output = script.parts.map(itemOf);
  const usage = script.quirks.includes('no_usage') ? null : USAGE;
  const response = { id: 'resp_1', object: 'response', output, usage, error: null, incomplete_details: null };
  switch (script.end) {
    case 'max_tokens':
    case 'context_too_long':
      return frame('response.incomplete', {
        response: { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      });
    case 'refused':
      return frame('response.incomplete', {
        response: { ...response, status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      });
    default:
      return frame('response.completed', { response: { ...response, status: script.stop ?? 'completed' } });
  }
}

function itemOf(part: Part, index: number): Record<string, unknown> {
  switch (part.kind) {
    case 'text': {
      const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }];
      return { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant', content };
    }
    case 'refusal': {
      const content = [{ type: 'refusal', refusal: part.text }];
      return { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant', content };
    }
    case 'thinking':
      return reasoningItem(part.text);
    case 'hidden_thinking':
      return reasoningItem('');
    case 'call':
      return {
        ...{ id: `fc_${index}`, type: 'function_call', status: 'completed', arguments: part.input },
        ...{ call_id: part.id, name: part.tool },
      };
  }
}

interface Pieces {
  frame: Frame;
  isSplit: boolean;
}

/** The beginning of an item, its growth, and the whole texts that say it again. */
function pieceFrames(part: Part, output_index: number, { frame, isSplit }: Pieces): string[] {
  const item = itemOf(part, output_index);
  const at = { item_id: item.id, output_index };
  const added = (more: object) =>
    frame('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', ...more } });
  const deltas = (type: string, text: string, more: object = {}) =>
    (isSplit ? text.split('') : piecesOf(text)).map((delta) => frame(`${type}.delta`, { ...at, ...more, delta }));
  switch (part.kind) {
    case 'text':
    case 'refusal': {
      const type = part.kind === 'text' ? 'response.output_text' : 'response.refusal';
      const content_index = 0;
      return [
        added({ content: [] }),
        frame('response.content_part.added', { ...at, content_index, part: { type: 'output_text', text: '' } }),
        ...deltas(type, part.text, { content_index }),
        frame(`${type}.done`, { ...at, content_index, text: part.text }),
        frame('response.content_part.done', { ...at, content_index, part: { type: 'output_text', text: part.text } }),
      ];
    }
    case 'thinking': {
      const paragraphs = part.text === '' ? [] : part.text.split('\n\n');
      return [
        added({ summary: [], encrypted_content: '' }),
        ...paragraphs.flatMap((text, summary_index) => [
          frame('response.reasoning_summary_part.added', {
            ...at,
            summary_index,
            part: { type: 'summary_text', text: '' },
          }),
          ...deltas('response.reasoning_summary_text', text, { summary_index }),
          frame('response.reasoning_summary_text.done', { ...at, summary_index, text }),
        ]),
      ];
    }
    case 'hidden_thinking':
      return [added({ summary: [], encrypted_content: '' })];
    case 'call':
      return [
        added({ arguments: '' }),
        ...deltas('response.function_call_arguments', part.input),
        frame('response.function_call_arguments.done', { ...at, arguments: part.input }),
      ];
  }
}
