import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { ERROR_CODES } from '../protocol/errors.js';
import * as events from '../protocol/feed_events.js';
import type { MethodSpec } from '../protocol/method.js';
import { METHODS } from '../protocol/methods/method_table.js';
import * as tools from '../protocol/methods/tool_methods.js';
import * as nodes from '../protocol/node.js';
import * as outside from '../protocol/outside_agent.js';
import * as usage from '../protocol/usage.js';

type Json = z.infer<ReturnType<typeof z.json>>;
type JsonObject = { [key: string]: Json };

const Json = z.json();
const JsonObject = z.record(z.string(), Json);

/**
 * Describes what programs may call as an OpenRPC 1.3.2 document, from the method table alone; others are served between two
 * methods. An internal method is refused to them, and left out.
 */
export async function openRpcDocument(version: string): Promise<JsonObject> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...nodes, ...events, ...usage, ...outside, ...tools })) {
    // What a module calls a type, not the parts that its schemas share.
    if (schema instanceof z.ZodType && /^[A-Z]/.test(id)) named.add(schema, { id });
  }
  const describe = schemaWriter(named);
  const methods: JsonObject[] = [];
  for (const [name, spec] of Object.entries<MethodSpec>(METHODS)) {
    if (spec.access === 'internal') continue;
    methods.push(methodOf(name, spec, describe.write));
    await nextTurn();
  }
  return {
    openrpc: '1.3.2',
    info: {
      title: 'cognition',
      version,
      description: 'JSON-RPC 2.0 over WebSocket, one message per text frame.',
      license: { name: 'MIT' },
    },
    methods,
    components: { schemas: describe.collected(), errors: errorsByKind() },
  };
}

type WriteSchema = (schema: z.ZodType, io: 'input' | 'output') => JsonObject;

function methodOf(name: string, spec: MethodSpec, write: WriteSchema): JsonObject {
  const params = write(spec.params, 'input');
  const required = Array.isArray(params.required) ? params.required : [];
  return {
    name,
    description: spec.description,
    paramStructure: 'by-name',
    params: Object.entries(JsonObject.parse(params.properties ?? {})).map(([param, schema]) => ({
      name: param,
      required: required.includes(param),
      schema,
    })),
    result: { name: 'result', schema: write(spec.result, 'output') },
    errors: Object.keys(ERROR_CODES).map((kind) => ({ $ref: `#/components/errors/${kind}` })),
    ...(spec.event === null ? {} : { 'x-stream-event': write(spec.event, 'output') }),
    'x-access': spec.access,
    'x-for-models': spec.forModels,
    'x-caller-gone': spec.callerGone,
    'x-repeats': spec.repeats,
    'x-ids': [...spec.ids],
    'x-keeps-hub-busy': spec.keepsHubBusy,
  };
}

function errorsByKind(): JsonObject {
  return Object.fromEntries(
    Object.entries(ERROR_CODES).map(([kind, code]) => [
      kind,
      { code, message: kind.replaceAll('_', ' '), data: { kind } },
    ]),
  );
}

// Each schema is written on its own with its named parts as definitions; these are collected here.
function schemaWriter(named: z.core.$ZodRegistry<{ id: string }>) {
  const schemas: JsonObject = {};
  return {
    write(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
      const written = z.toJSONSchema(schema, { target: 'draft-7', io, metadata: named });
      const { $schema: _dialect, definitions = {}, ...own } = JsonObject.parse(JSON.parse(JSON.stringify(written)));
      for (const [id, definition] of Object.entries(JsonObject.parse(definitions))) {
        schemas[id] = moveReferences(definition);
      }
      return JsonObject.parse(moveReferences(own));
    },
    collected: () => Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function moveReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key]) => key !== 'id' || typeof value.id !== 'string' || !('type' in value),
  );
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (key !== '$ref' || typeof inner !== 'string') return [key, moveReferences(inner)];
      return [key, inner.replace('#/definitions/', '#/components/schemas/')];
    }),
  );
}
