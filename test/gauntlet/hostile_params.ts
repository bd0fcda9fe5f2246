import * as z from 'zod';

/** A JSON schema, as far as the method table uses it. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  additionalProperties?: Schema | boolean;
}

type Value = unknown;
/** Where a string stands in parameters: names of fields and numbers of items. */
export type Place = readonly (string | number)[];

/** Valid values of a schema: each alternative of each part occurs in one of them. `text` makes the strings that have a meaning. */
export function samplesOf(schema: z.ZodType, text: (name: string, pattern: string) => string): Value[] {
  return samples(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema, 'params', text); // as zod writes it
}

function samples(schema: Schema, name: string, text: (name: string, pattern: string) => string): Value[] {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.flatMap((one) => samples(one, name, text));
  if (schema.allOf !== undefined) return schema.allOf.slice(0, 1).flatMap((one) => samples(one, name, text));
  if ('const' in schema) return [schema.const];
  if (schema.enum !== undefined) return schema.enum.slice(0, 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return objects(schema, text);
    case 'array':
      return [samples(schema.items ?? {}, name, text).slice(0, 5)];
    case 'integer':
    case 'number':
      return [Math.max(schema.minimum ?? 0, schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 1)];
    case 'boolean':
      return [true];
    case 'null':
      return [null];
    case 'string':
      return [text(name, schema.pattern ?? schema.format ?? '')];
    default:
      return ['any'];
  }
}

function objects(schema: Schema, text: (name: string, pattern: string) => string): Value[] {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, one]) => [name, samples(one, name, text)] as const,
  );
  const first: Record<string, Value> = Object.fromEntries(fields.map(([name, values]) => [name, values[0]]));
  if (typeof schema.additionalProperties === 'object') {
    first.name = samples(schema.additionalProperties, 'name', text)[0];
  }
  const others = fields.flatMap(([name, values]) => values.slice(1).map((value) => ({ ...first, [name]: value })));
  return [first, ...others];
}

/** Where the strings of a value stand, keys included as the place of their value. */
export function stringPlaces(value: Value, place: Place = []): Place[] {
  if (typeof value === 'string') return [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    stringPlaces(inner, [...place, Array.isArray(value) ? Number(key) : key]),
  );
}

/** A copy of a value with another string at a place. */
export function withString(value: Value, place: Place, text: string): Value {
  const [key, ...rest] = place;
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? withString(item, rest, text) : item));
  return { ...Object(value), [key]: withString(Reflect.get(Object(value), key), rest, text) };
}

/** Strings that lead elsewhere when they become a part of a path; `canary` is a folder beside the home. */
export function hostilePaths({ home, canary }: { home: string; canary: string }): string[] {
  return [
    ...['..', '../..', '../../canary', '../canary/file', `${'../'.repeat(20)}${canary.slice(1)}`, './..//canary'],
    ...[
      canary,
      `${canary}/file`,
      home,
      `${home}/config`,
      `${home}/trees.db`,
      'config',
      'session.json',
      'hub.lock',
      '/etc/passwd',
    ],
    ...['a\0b', '../canary\0.json', '..%2f..%2fcanary', '%2e%2e/canary', '\u2024\u2024/canary', '\uff0e\uff0e/canary'],
    ...['..\\..\\canary', 'file:///etc/passwd', '~/canary', '.', '', ' ', '-rf', `$(touch ${canary}/ran)`, '\u202e/..'],
    ...['x'.repeat(5_000), `${'a/'.repeat(300)}b`, 'session-../../canary', 'session-00000000/../../../canary'],
    ...[
      '00000000-0000-4000-8000-000000000000/../../canary',
      `${'0'.repeat(62)}/..`,
      `../../../canary/${'0'.repeat(48)}`,
    ],
  ];
}
