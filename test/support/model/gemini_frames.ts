import { createHash } from 'node:crypto';
import { geminiFacts } from './gemini_facts.js';
import { type Cached, objectOf } from './prompt_cache.js';
import { type Part, piecesOf, type Script, signatureOf } from './script.js';

const STOPS = {
  answered: 'STOP',
  calls: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refused: 'SAFETY',
  context_too_long: 'MAX_TOKENS',
};
const USAGE = {
  promptTokenCount: 100,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 35,
  thoughtsTokenCount: 7,
  totalTokenCount: 142,
};
/** Google's names of what other servers call so. */
const ERRORS: Readonly<Record<string, [number, string]>> = {
  overloaded_error: [503, 'UNAVAILABLE'],
  api_error: [500, 'INTERNAL'],
  rate_limit_error: [429, 'RESOURCE_EXHAUSTED'],
  invalid_request_error: [400, 'INVALID_ARGUMENT'],
  authentication_error: [401, 'UNAUTHENTICATED'],
};

type Fields = Record<string, unknown>;

/** The signature of a thought in the part that it led to: it tells that part apart from every other. */
export function geminiSignature(thought: string, { text, functionCall }: Fields): string {
  // The id is no part of it: a client gives other ids where two calls have the same.
  const { name, args } = objectOf(functionCall);
  const part = createHash('sha256')
    .update(JSON.stringify([text ?? null, name ?? null, args ?? null]))
    .digest('hex');
  return Buffer.from(`${signatureOf(thought)} ${part}`).toString('base64');
}

/** Whether a part is the one that its signature was given to. */
export function isSignedAs(part: Fields): boolean {
  const [, digest] = Buffer.from(String(part.thoughtSignature), 'base64').toString().split(' ');
  const [, wanted] = Buffer.from(geminiSignature('', part), 'base64').toString().split(' ');
  return digest === wanted;
}

/** The parts of an answer as they come; older models sign what comes first after a thought, newer ones calls or the end. */
export function geminiParts(parts: readonly Part[], model: string | null, isSplit = false): Fields[] {
  const isNew = geminiFacts(model)?.isSigned === true;
  const pieces = (text: string): string[] => (isSplit ? text.split('') : piecesOf(text));
  const wire: Fields[] = [];
  let thought: string | null = null;
  const add = (part: Fields, isSigned: boolean): void => {
    const signature = isSigned && thought !== null ? { thoughtSignature: geminiSignature(thought, part) } : {};
    if (isSigned) thought = null;
    wire.push({ ...part, ...signature });
  };
  for (const part of parts) {
    switch (part.kind) {
      case 'thinking':
        thought = part.text;
        wire.push(...pieces(part.text).map((text) => ({ text, thought: true })));
        break;
      case 'hidden_thinking':
        thought = part.data;
        break;
      case 'text':
      case 'refusal':
        for (const text of pieces(part.text)) add({ text }, !isNew);
        break;
      case 'call':
        if (argumentsOf(part.input) !== null) add({ functionCall: callOf(part) }, true);
    }
  }
  if (thought !== null) add({ text: '' }, true);
  return wire;
}

function callOf({ id, tool, input }: Extract<Part, { kind: 'call' }>): Fields {
  return { ...(id === '' ? {} : { id }), name: tool, args: argumentsOf(input) ?? {} };
}

function argumentsOf(input: string): object | null {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null; // models often write text that is no JSON
  }
}

/** An answer as Gemini streams it, chunk by chunk. */
export function geminiFrames(
  script: Script,
  { model, cached }: { model: string | null; cached: Cached | null },
): string[] {
  if (script.kind === 'fail') return [];
  const { parts, quirks } = script;
  const said = geminiParts(parts, model, quirks.includes('split_surrogates')).map((part) =>
    frame({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] }),
  );
  if (quirks.includes('pings')) said.unshift(': keep-alive\n\n');
  if (quirks.includes('unknown_events')) said.unshift(frame({ weather: { clouds: [1] } }));
  switch (script.kind) {
    case 'hang':
    case 'cut':
    case 'close':
      return said;
    case 'garbage':
      return [...said, 'data: {"candidates": [\n\n'];
    case 'error': {
      const [code, status] = ERRORS[script.type] ?? [500, script.type];
      return [...said, frame({ error: { code, status, message: 'something is wrong here' } })];
    }
    default:
      return [...said, last(script, cached)];
  }
}

function last(script: Extract<Script, { kind: 'say' | 'say_to_anyone' }>, cached: Cached | null): string {
  const wrong = script.parts.find((part) => part.kind === 'call' && argumentsOf(part.input) === null);
  const finish =
    wrong?.kind === 'call'
      ? {
          finishReason: 'MALFORMED_FUNCTION_CALL',
          finishMessage: `Malformed function call: ${wrong.tool}${wrong.input}`,
        }
      : { finishReason: script.stop ?? STOPS[script.end] };
  const counted = cached === null || cached.read === 0 ? USAGE : usageOf(cached);
  const usage = script.quirks.includes('no_usage') ? {} : { usageMetadata: counted };
  return frame({ candidates: [{ content: { role: 'model', parts: [] }, ...finish, index: 0 }], ...usage });
}

function usageOf({ read, input, write5m }: Cached): typeof USAGE {
  const promptTokenCount = read + input + write5m;
  return { ...USAGE, promptTokenCount, cachedContentTokenCount: read, totalTokenCount: promptTokenCount + 42 };
}

function frame(chunk: Fields): string {
  return `data: ${JSON.stringify({ ...chunk, modelVersion: 'v', responseId: 'r' })}\n\n`;
}

interface Refusal {
  status: number;
  code?: string;
  message?: string;
}

/** A refusal as Google words it. */
export function geminiRefusal({ status, code, message }: Refusal): object {
  const [, name] = Object.values(ERRORS).find(([number]) => number === status) ?? [];
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'googleapis.com' };
  const details = code === undefined ? {} : { details: [info] };
  return { error: { code: status, message, status: name ?? 'UNKNOWN', ...details } };
}
