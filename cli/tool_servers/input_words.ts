import { HubError } from '../../hub/base/error.js';
import { nearest } from '../../hub/base/nearest_word.js';
import type { McpTool } from '../../hub/protocol/methods/mcp_methods.js';

type Value = McpTool['schema'][string];
type Values = Record<string, Value>;

/** One input of a tool, as far as its schema says it. */
export interface ToolOption {
  name: string;
  type: string;
  description: string;
  isRequired: boolean;
}

export function optionsOf({ schema }: Pick<McpTool, 'schema'>): ToolOption[] {
  const { required } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(Object(schema.properties)).map(([name, property]) => {
    const { type, description, enum: choices } = Object(property);
    const words = Array.isArray(choices) ? choices.map((one) => String(one)).join('|') : typeWords(type);
    return {
      name,
      type: words,
      description: typeof description === 'string' ? description : '',
      isRequired: needed.has(name),
    };
  });
}

function typeWords(type: unknown): string {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string' && one !== 'null');
  return types.length === 0 ? 'value' : types.join('|');
}

/** The words behind a tool as its input: `--key value`, `--key=value`, `--flag`, or all of it as one object of JSON. */
export function toolInput(tool: McpTool, words: readonly string[]): Values {
  const [first = '', ...others] = words;
  if (first.startsWith('{') && others.length === 0) return objectIn(first);
  const options = optionsOf(tool);
  const input = new Map<string, Value>();
  for (let index = 0; index < words.length; ) {
    const { name, given } = wordIn(words[index] ?? '');
    const type = typeOf(tool, options, name);
    const { text, taken } = textFor(given, { type, name, next: words[index + 1] });
    index += taken;
    const value = readValue(text, name, type);
    const before = input.get(name);
    input.set(name, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value);
  }
  const missing = options.filter(({ name, isRequired }) => isRequired && !input.has(name));
  if (missing.length > 0) throw wrong(`${tool.name} needs ${missing.map(({ name }) => `--${name}`).join(', ')}`);
  return Object.fromEntries(input);
}

/** The text of an input: behind its `=`, or the next word; a flag stands alone. `taken` counts the words. */
function textFor(
  given: string | undefined,
  { type, name, next }: { type: string; name: string; next: string | undefined },
): { text: string; taken: number } {
  if (given !== undefined) return { text: given, taken: 1 };
  if (type === 'boolean' && (next === undefined || next.startsWith('--'))) return { text: 'true', taken: 1 };
  if (next === undefined) throw wrong(`--${name} takes a value`);
  return { text: next, taken: 2 };
}

function wordIn(word: string): { name: string; given: string | undefined } {
  const [, name = '', , given] = /^--([^=]+)(=(.*))?$/s.exec(word) ?? [];
  if (name !== '') return { name, given };
  throw wrong(`${JSON.stringify(word)} is no option`, 'give inputs as --name value, or all as one object of JSON');
}

/** The type of an input; a tool whose schema says nothing takes all. */
function typeOf(tool: McpTool, options: readonly ToolOption[], name: string): string {
  const option = options.find((one) => one.name === name);
  if (option === undefined && options.length > 0) throw unknownOption(tool, name, options);
  return option?.type ?? 'value';
}

function unknownOption(tool: McpTool, name: string, options: readonly ToolOption[]): HubError {
  const names = options.map((one) => one.name);
  const near = nearest(name, names);
  return wrong(
    `${tool.name} has no --${name}`,
    near === null ? `it has: ${names.map((one) => `--${one}`).join(' ')}` : `did you mean --${near}?`,
  );
}

function objectIn(text: string): Values {
  const value = jsonIn(text);
  if (isTable(value)) return value;
  throw wrong('the input is no object of JSON');
}

function isTable(value: Value | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A word as the schema wants it; what fits nothing is a text. */
function readValue(text: string, name: string, type: string): Value {
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return numberIn(text, name, type);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw wrong(`--${name} is true or false, not ${JSON.stringify(text)}`);
    case 'object':
      return objectIn(text);
    default: {
      const value = /^[[{]/.test(text) ? (jsonIn(text) ?? text) : text;
      return type === 'array' && !Array.isArray(value) ? [value] : value;
    }
  }
}

function numberIn(text: string, name: string, type: 'integer' | 'number'): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number) && (type === 'number' || Number.isInteger(number))) return number;
  throw wrong(`--${name} takes ${type === 'integer' ? 'a whole number' : 'a number'}, not ${JSON.stringify(text)}`);
}

function jsonIn(text: string): Value | undefined {
  try {
    const value: Value = JSON.parse(text);
    return value;
  } catch {
    return undefined; // the caller takes it for a text, or refuses it
  }
}

function wrong(message: string, hint?: string): HubError {
  return new HubError('invalid_params', message, hint === undefined ? {} : { hint });
}
