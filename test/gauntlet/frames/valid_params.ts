import * as z from 'zod';
import type { Chance } from './chance.js';

const Schema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    minLength: z.number().optional(),
    minItems: z.number().optional(),
    items: z.union([Schema, z.array(Schema)]).optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    allOf: z.array(Schema).optional(),
  }),
);

interface JsonSchema {
  $ref?: string | undefined;
  const?: unknown;
  enum?: unknown[] | undefined;
  type?: string | string[] | undefined;
  pattern?: string | undefined;
  minimum?: number | undefined;
  minLength?: number | undefined;
  minItems?: number | undefined;
  items?: JsonSchema | JsonSchema[] | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
}

/** The document of `rpc.discover`, as far as it is needed here. */
const Described = z.looseObject({
  methods: z.array(
    z.looseObject({
      name: z.string(),
      'x-access': z.string(),
      params: z.array(z.looseObject({ name: z.string(), required: z.boolean(), schema: Schema })),
    }),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});

export interface Method {
  name: string;
  /** Parameters that its schema takes. */
  params(): Record<string, unknown>;
}

interface Choices {
  chance: Chance;
  /** Ids that are of something. */
  ids: readonly string[];
}

/** The methods that a hub describes, each with a source of valid parameters. */
export function describedMethods(document: unknown, choices: Choices): Method[] {
  const { methods, components } = Described.parse(document);
  const value = valueMaker(components.schemas, choices);
  return methods.map(({ name, params }) => ({
    name,
    params: () =>
      Object.fromEntries(
        params
          .filter(({ required }) => required || choices.chance.is(0.5))
          .map((param) => [param.name, value(param.schema, 0)]),
      ),
  }));
}

function valueMaker(schemas: Readonly<Record<string, JsonSchema>>, { chance, ids }: Choices) {
  const { pick, is, below } = chance;

  function text({ pattern = '', minLength = 0 }: JsonSchema): string {
    if (pattern.includes('{64}')) return 'a'.repeat(64);
    if (pattern.includes('-')) return pick(ids) ?? '';
    return pick(['a', 'name', 'words and words'])?.padEnd(minLength, 'x') ?? '';
  }

  function object({ properties = {}, required = [] }: JsonSchema, depth: number): Record<string, unknown> {
    const wanted = Object.entries(properties).filter(([key]) => required.includes(key) || is(0.3));
    return Object.fromEntries(wanted.map(([key, schema]) => [key, value(schema, depth + 1)]));
  }

  function list({ items, minItems = 0 }: JsonSchema, depth: number): unknown[] {
    if (Array.isArray(items)) return items.map((item) => value(item, depth + 1));
    const length = Math.max(minItems, depth > 5 ? 0 : below(3));
    return Array.from({ length }, () => value(items ?? {}, depth + 1));
  }

  const byType: Readonly<Record<string, (schema: JsonSchema, depth: number) => unknown>> = {
    string: text,
    integer: ({ minimum = 0 }) => Math.max(minimum, 1),
    number: ({ minimum = 0 }) => Math.max(minimum, 1),
    boolean: () => is(0.5),
    array: list,
    object,
  };

  function value(schema: JsonSchema, depth: number): unknown {
    if (schema.$ref !== undefined) return value(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, depth);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return pick(schema.enum);
    const among = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (among !== undefined) return value(pick(among) ?? {}, depth);
    const [type = ''] = [schema.type ?? []].flat();
    return byType[type]?.(schema, depth) ?? null;
  }

  return value;
}
