import { objectOf } from './prompt_cache.js';
import { type Part, piecesOf, type Quirk, type Script } from './script.js';

const BYTES_PER_TOKEN = 4;
const STOPS = { answered: 'stop', calls: 'stop', max_tokens: 'length', refused: 'stop', context_too_long: 'length' };

/** An answer as Ollama streams it: a line of JSON for each piece. */
export function ollamaFrames(script: Script, { body }: { body: Record<string, unknown> }): string[] {
  if (script.kind === 'fail') return [];
  const { quirks } = script;
  const said = script.parts.flatMap((part) => messages(part, quirks)).map((message) => line({ message, done: false }));
  if (quirks.includes('pings')) said.unshift('\n');
  if (quirks.includes('unknown_events')) said.unshift(line({ weather: { clouds: [1] } }));
  switch (script.kind) {
    case 'hang':
    case 'cut':
    case 'close':
      return said;
    case 'garbage':
      return [...said, '{"message": {\n'];
    case 'error':
      return [...said, line({ error: script.type })];
    default:
      return [...said, lastLine(script, body)];
  }
}

function lastLine(
  { quirks, stop, end }: Extract<Script, { kind: 'say' | 'say_to_anyone' }>,
  body: Record<string, unknown>,
) {
  const eval_count = end === 'max_tokens' ? Number(objectOf(body.options).num_predict) : 42;
  const prompt_eval_count = Math.ceil(JSON.stringify([body.messages, body.tools]).length / BYTES_PER_TOKEN);
  const counts = quirks.includes('no_usage') ? {} : { prompt_eval_count, eval_count };
  const message = { role: 'assistant', content: '' };
  return line({ message, done: true, done_reason: stop ?? STOPS[end], total_duration: 1, ...counts });
}

function messages(part: Part, quirks: readonly Quirk[]): object[] {
  const pieces = (text: string): string[] => (quirks.includes('split_surrogates') ? text.split('') : piecesOf(text));
  const role = 'assistant';
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return pieces(part.text).map((content) => ({ role, content }));
    case 'thinking':
      return pieces(part.text).map((thinking) => ({ role, content: '', thinking }));
    case 'hidden_thinking':
      return [];
    case 'call': {
      const call = { function: { index: 0, name: part.tool, arguments: argumentsOf(part.input) } };
      return [{ role, content: '', tool_calls: [part.id === '' ? call : { id: part.id, ...call }] }];
    }
  }
}

/** An object where the text is one as this server writes it; else what a careless gateway would send. */
function argumentsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : text;
  } catch {
    return text; // malformed on purpose
  }
}

function line(value: object): string {
  return `${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', ...value })}\n`;
}
