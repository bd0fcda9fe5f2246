import type { IncomingMessage } from 'node:http';
import { isBlank, isObject } from './anthropic_rules.js';
import { type GeminiFacts, geminiFacts } from './gemini_facts.js';
import { isSignedAs } from './gemini_frames.js';
import { listOf, objectOf } from './prompt_cache.js';

type Fields = Record<string, unknown>;

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
/** What makes up a schema; other words of JSON Schema are refused. */
const SCHEMA = [
  ...['type', 'properties', 'required', 'items', 'description', 'title', 'enum', 'format', 'minimum', 'maximum'],
  ...['minItems', 'maxItems', 'prefixItems', 'anyOf', 'oneOf', 'additionalProperties', '$ref', '$defs'],
];
const PART = ['text', 'thought', 'thoughtSignature', 'inlineData', 'functionCall', 'functionResponse'];
const DATA = ['text', 'inlineData', 'functionCall', 'functionResponse'];
const NO_SIGNATURE = 'skip_thought_signature_validator';
const BODY_CHARACTERS_MAX = 20 * 1024 * 1024;

export interface GeminiRequest {
  model: string | null;
  headers: IncomingMessage['headers'];
  body: Fields;
  text: string;
}

/** What is wrong with a request, as Gemini would say it; null when it would be answered. */
export function geminiViolation({ model, headers, body, text }: GeminiRequest): string | null {
  if (headers.authorization !== undefined) return 'Request had invalid authentication credentials. Expected OAuth 2';
  const facts = geminiFacts(model);
  if (facts === null) return `models/${model} is not found for API version v1beta`;
  if (text.length > BODY_CHARACTERS_MAX) return 'Request payload size exceeds the limit: 20971520 bytes.';
  const contents = listOf(body.contents).map(objectOf);
  return (
    unknownKey(body, ['contents', 'systemInstruction', 'tools', 'generationConfig']) ??
    promptViolation(body.systemInstruction) ??
    generationViolation(objectOf(body.generationConfig), facts) ??
    toolsViolation(body.tools) ??
    rolesViolation(contents) ??
    first(contents, (content) => partsViolation(content, facts)) ??
    pairingViolation(contents) ??
    (facts.isSigned ? signaturesViolation(contents) : null)
  );
}

function unknownKey(fields: Fields, known: readonly string[]): string | null {
  const unknown = Object.keys(fields).find((key) => !known.includes(key));
  return unknown === undefined ? null : `Invalid JSON payload received. Unknown name "${unknown}"`;
}

function first<T>(list: readonly T[], look: (item: T, place: number) => string | null): string | null {
  for (const [place, item] of list.entries()) {
    const found = look(item, place);
    if (found !== null) return found;
  }
  return null;
}

function promptViolation(prompt: unknown): string | null {
  if (prompt === undefined) return null;
  const parts = listOf(objectOf(prompt).parts).map(objectOf);
  return parts.length === 1 && !isBlank(parts[0]?.text) ? null : 'systemInstruction: invalid';
}

function generationViolation(config: Fields, facts: GeminiFacts): string | null {
  const unknown = unknownKey(config, ['maxOutputTokens', 'thinkingConfig']);
  if (unknown !== null) return unknown;
  const most = Number(config.maxOutputTokens);
  if (!Number.isInteger(most) || most < 1 || most > facts.outputTokensMax) return 'max_output_tokens is out of range';
  return config.thinkingConfig === undefined ? null : thinkingViolation(objectOf(config.thinkingConfig), facts);
}

function thinkingViolation(config: Fields, { levels, budget }: GeminiFacts): string | null {
  const { includeThoughts, thinkingLevel: level, thinkingBudget: tokens, ...others } = config;
  if (levels === null && budget === null) return 'Unable to submit request because Thinking is not supported';
  if (typeof includeThoughts !== 'boolean') return 'includeThoughts: not a bool';
  if (level !== undefined && levels?.includes(String(level)) !== true)
    return `Thinking level ${level} is not supported for this model.`;
  const isOff = tokens === 0 && includeThoughts;
  if (isOff) return 'include_thoughts is only enabled when thinking is enabled';
  return unknownKey(others, []) ?? (tokens === undefined ? null : budgetViolation(Number(tokens), budget));
}

function budgetViolation(tokens: number, budget: GeminiFacts['budget']): string | null {
  if (budget === null) return 'This model is told a level, and no budget.';
  if (tokens === -1 || (tokens === 0 && budget.canBeOff)) return null;
  const isIn = tokens >= Math.max(1, budget.min) && tokens <= budget.max;
  return isIn ? null : `The thinking budget ${tokens} is invalid.`;
}

function toolsViolation(tools: unknown): string | null {
  const names = new Set<unknown>();
  return first(listOf(tools).map(objectOf), (tool) => {
    const unknown = unknownKey(tool, ['functionDeclarations']);
    if (unknown !== null) return unknown;
    return first(listOf(tool.functionDeclarations).map(objectOf), ({ name, description, ...others }) => {
      if (!NAME.test(String(name))) return `Invalid function name ${name}`;
      if (names.has(name)) return `Duplicate function declaration found: ${name}`;
      names.add(name);
      if (isBlank(description)) return 'a function needs a description';
      const { parametersJsonSchema: schema, ...unknownToo } = others;
      if (objectOf(schema).type !== 'object') return 'parameters_json_schema must be an object';
      return unknownKey(unknownToo, []) ?? schemaViolation(schema);
    });
  });
}

function schemaViolation(schema: unknown): string | null {
  const { properties, items, ...others } = objectOf(schema);
  const inner = [...Object.values(objectOf(properties)), ...(items === undefined ? [] : [items])];
  return unknownKey(others, SCHEMA) ?? first(inner, schemaViolation);
}

function rolesViolation(contents: readonly Fields[]): string | null {
  if (contents.length === 0) return 'GenerateContentRequest.contents: contents is not specified';
  const wrong = first(contents, ({ role }, place) =>
    role === (place % 2 === 0 ? 'user' : 'model')
      ? null
      : 'Please ensure that multiturn requests alternate between user and model.',
  );
  if (wrong !== null) return wrong;
  return contents.at(-1)?.role === 'user' ? null : 'Please ensure that multiturn requests end with a user role';
}

function partsViolation({ role, parts: list, ...others }: Fields, facts: GeminiFacts): string | null {
  const parts = listOf(list).map(objectOf);
  if (parts.length === 0) return 'contents.parts must not be empty.';
  return (
    unknownKey(others, []) ??
    first(parts, (part) => unknownKey(part, PART) ?? partViolation(part, { isAnswer: role === 'model', facts }))
  );
}

function partViolation(part: Fields, { isAnswer, facts }: { isAnswer: boolean; facts: GeminiFacts }): string | null {
  const { text, inlineData: image, functionCall: call, functionResponse: response, thoughtSignature: mark } = part;
  if (DATA.filter((key) => part[key] !== undefined).length !== 1) return 'contents.parts: required oneof field data';
  if (text !== undefined && mark === undefined && isBlank(text))
    return 'Unable to submit request: empty text parameter';
  if (isAnswer !== (call !== undefined) && (call !== undefined || (isAnswer && text === undefined)))
    return 'a part of another role';
  if (mark !== undefined) return signatureViolation(part, isAnswer, facts);
  if (image !== undefined) return imageViolation(objectOf(image));
  if (call !== undefined) return callViolation(objectOf(call));
  return response === undefined ? null : responseViolation(objectOf(response), facts);
}

function signatureViolation(part: Fields, isAnswer: boolean, { isSigned }: GeminiFacts): string | null {
  if (!isAnswer) return 'Thought signature in a user part.';
  const isPlaceholder = part.thoughtSignature === NO_SIGNATURE;
  if (isPlaceholder && (!isSigned || part.functionCall === undefined)) return 'Invalid thought signature.';
  return isPlaceholder || isSignedAs(part) ? null : 'Corrupted thought signature.';
}

function imageViolation({ mimeType, data, ...others }: Fields): string | null {
  if (typeof data !== 'string' || data === '') return 'inlineData: no data';
  return /^image\/(png|jpeg|webp|gif)$/.test(String(mimeType)) ? unknownKey(others, []) : 'Unsupported MIME type';
}

function callViolation({ id, name, args, ...others }: Fields): string | null {
  if (typeof id !== 'string' || id === '') return 'function call without an id';
  if (!NAME.test(String(name))) return `Invalid function name ${name}`;
  return isObject(args) ? unknownKey(others, []) : 'Invalid value at args';
}

function responseViolation(
  { id: _, name, response, parts, ...others }: Fields,
  { isSigned }: GeminiFacts,
): string | null {
  if (!NAME.test(String(name))) return `Invalid function name ${name}`;
  const { output, error, ...more } = objectOf(response);
  if (typeof (output ?? error) !== 'string' || Object.keys(more).length > 0) return 'Invalid value at response';
  if (parts !== undefined && !isSigned) return 'Multimodal function responses are not supported for this model';
  return (
    unknownKey(others, []) ?? first(listOf(parts).map(objectOf), (part) => imageViolation(objectOf(part.inlineData)))
  );
}

/** Every call is answered in the very next content, first in it, by its id and name; nothing else is answered. */
function pairingViolation(contents: readonly Fields[]): string | null {
  const used = new Set<string>();
  return first(contents, ({ parts }, place) => {
    const made = namesIn(contents[place - 1], 'functionCall');
    const answered = namesIn({ parts }, 'functionResponse');
    const isFirst = listOf(parts)
      .slice(0, answered.length)
      .every((part) => objectOf(part).functionResponse !== undefined);
    if (made.join() !== answered.join() || !isFirst)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    const again = namesIn({ parts }, 'functionCall').find((id) => used.has(id) || used.size === used.add(id).size);
    return again === undefined ? null : `the id of the call ${again} is used twice`;
  });
}

function namesIn(content: Fields | undefined, kind: 'functionCall' | 'functionResponse'): string[] {
  return listOf(content?.parts).flatMap((part) => {
    const named = objectOf(part)[kind];
    return named === undefined ? [] : [`${objectOf(named).id} ${objectOf(named).name}`];
  });
}

/** The first call of each step of the current turn, which begins with the last thing that a person said. */
function signaturesViolation(contents: readonly Fields[]): string | null {
  const begin = contents.findLastIndex(({ role, parts }) => {
    const isResponse = listOf(parts).some((part) => objectOf(part).functionResponse !== undefined);
    return role === 'user' && !isResponse;
  });
  return first(contents.slice(begin + 1), ({ parts }, place) => {
    const call = listOf(parts)
      .map(objectOf)
      .find(({ functionCall }) => functionCall !== undefined);
    if (call === undefined || call.thoughtSignature !== undefined) return null;
    const name = String(objectOf(call.functionCall).name);
    return `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${name}\`, position ${place}.`;
  });
}
