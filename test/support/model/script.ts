import { createHash } from 'node:crypto';

/** A piece of an answer, apart from any wire format. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'hidden_thinking'; data: string }
  /** Only where a protocol tells a refusal from text. */
  | { kind: 'refusal'; text: string }
  /** The input as the model writes it, JSON or not. */
  | { kind: 'call'; id: string; tool: string; input: string };

export type Ending = 'answered' | 'calls' | 'max_tokens' | 'refused' | 'context_too_long';

interface Saying {
  parts: Part[];
  end: Ending;
  /** The server's word for the end, instead of the right one. */
  stop: string | null;
  /** Bytes one by one, all at once, or all at once with the connection left open afterwards. */
  delivery: 'whole' | 'bytes' | 'left_open';
  lineEnd: 'lf' | 'crlf';
  quirks: readonly Quirk[];
}

/** Ways in which real servers depart from the format. */
export type Quirk =
  | 'pings'
  | 'unknown_events'
  | 'no_usage'
  | 'no_index'
  | 'index_zero'
  | 'no_ids'
  | 'whole_calls'
  | 'object_arguments'
  | 'stop_after_calls'
  | 'repeated_names'
  | 'content_parts'
  | 'split_surrogates'
  | 'no_stop_event'
  /** Items come whole, or only with the event that ends the answer. */
  | 'whole_items'
  | 'late_items'
  | 'no_encryption'
  /** An error comes as the end of the answer, and not by itself. */
  | 'failed_response'
  /** No reason why the answer ended, or an empty one. */
  | 'no_reason'
  | 'empty_reason'
  /** Thinking comes in a field called `reasoning`. */
  | 'reasoning_field';

/** What a server does with one request. */
export type Script =
  | ({ kind: 'say' | 'say_to_anyone' } & Saying)
  /** Says its parts, then sends nothing more. */
  | ({ kind: 'hang' } & Saying)
  /** Says its parts, then ends the connection: by a reset, or as if that were all. */
  | ({ kind: 'cut' | 'close' } & Saying)
  /** Says its parts, then an error of a type. */
  | ({ kind: 'error'; type: string } & Saying)
  /** Says its parts, then something that is no JSON. */
  | ({ kind: 'garbage' } & Saying)
  | ({ kind: 'fail'; status: number; message: string } & Partial<Failure> &
      Pick<Saying, 'delivery' | 'lineEnd' | 'parts'>);

interface Failure {
  type: string;
  code: string;
  headers: Record<string, string>;
  /** A body instead of the usual JSON; `hang` begins one and never ends it. */
  raw: string;
}

const PLAIN = { stop: null, delivery: 'whole', lineEnd: 'lf', quirks: [] } as const;

export function say(...parts: Part[]): Extract<Script, { kind: 'say' | 'say_to_anyone' }> {
  const end = parts.some(({ kind }) => kind === 'call') ? 'calls' : 'answered';
  return { kind: 'say', parts, end, ...PLAIN };
}

/** Says something and then departs from what is right. */
export function breaking(kind: 'hang' | 'cut' | 'close' | 'garbage', ...parts: Part[]): Script {
  return { kind, parts, end: 'answered', ...PLAIN };
}

export function errorAfter(type: string, ...parts: Part[]): Extract<Script, { kind: 'error' }> {
  return { kind: 'error', type, parts, end: 'answered', ...PLAIN };
}

export function fail(status: number, message: string, failure: Partial<Failure> = {}): Script {
  return { kind: 'fail', status, message, ...failure, parts: [], delivery: 'whole', lineEnd: 'lf' };
}

/** The signature that this server gives to thinking, by which it knows its own again. */
export function signatureOf(text: string): string {
  return `signed-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Text in the pieces in which a model says it. */
export function piecesOf(text: string): string[] {
  return text.match(/.{1,5}/gsu) ?? [];
}
