import { expect, test } from 'vitest';
import { z } from 'zod';
import { openRpcDocument } from '../../../hub/plugins/openrpc.js';
import { METHODS } from '../../../hub/protocol/methods/method_table.js';
import { withHub } from '../../support/hub.js';

// The rules of OpenRPC 1.3.2 for the parts that are used; strict, so that nothing else slips in.
const Schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const ContentDescriptor = z.strictObject({
  name: z.string().min(1),
  schema: Schema,
  required: z.boolean().optional(),
  description: z.string().optional(),
});
const ErrorObject = z.strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() });
const Reference = z.strictObject({ $ref: z.string().startsWith('#/components/') });
const Method = z
  .object({
    name: z.string().regex(/^[a-z]+\.[a-z_]+$/),
    description: z.string(),
    paramStructure: z.enum(['by-name', 'by-position', 'either']),
    params: z.array(ContentDescriptor),
    result: ContentDescriptor,
    errors: z.array(z.union([ErrorObject, Reference])),
  })
  .catchall(z.unknown());
const OpenRpc = z.strictObject({
  openrpc: z.literal('1.3.2'),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string() }),
  }),
  methods: z.array(Method),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[a-zA-Z0-9._-]+$/), Schema),
    errors: z.record(z.string(), ErrorObject),
  }),
});

const document = await openRpcDocument('1.2.3');

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

test('the description of the protocol follows OpenRPC 1.3.2 and has every method that a program may call', () => {
  const parsed = OpenRpc.parse(document);
  const open = Object.entries(METHODS).filter(([, { access }]) => access === 'client');
  expect(open.length).toBeLessThan(Object.keys(METHODS).length);
  expect(parsed.methods.map(({ name }) => name)).toEqual(open.map(([name]) => name));
  for (const method of parsed.methods) {
    const extra = Object.keys(method).filter((key) => !(key in Method.shape));
    expect(extra.every((key) => key.startsWith('x-'))).toBe(true);
    expect(new Set(method.params.map(({ name }) => name)).size).toBe(method.params.length);
  }
});

test('every reference in it leads somewhere within it', () => {
  const { components } = OpenRpc.parse(document);
  const targets = new Set([
    ...Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(components.errors).map((name) => `#/components/errors/${name}`),
  ]);
  expect(referencesIn(document).filter((reference) => !targets.has(reference))).toEqual([]);
});

test('required parameters are those without a default', () => {
  const { methods } = OpenRpc.parse(document);
  const list = methods.find(({ name }) => name === 'loom.mark_list');
  expect(list?.params.map(({ name, required }) => [name, required])).toEqual([
    ['tree', true],
    ['cursor', false],
    ['limit', false],
  ]);
});

test('a named part is described once', () => {
  const { components } = OpenRpc.parse(document);
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['Json', 'Node', 'SkeletonNode', 'Tree']));
  expect(Object.keys(components.schemas).filter((name) => name.startsWith('__'))).toEqual([]);
});

test('ids are typed by what they are ids of', () => {
  const { methods } = OpenRpc.parse(document);
  const typeOf = (method: string, param: string) =>
    methods.find(({ name }) => name === method)?.params.find(({ name }) => name === param)?.schema;
  expect(typeOf('loom.tree_get', 'tree')).toEqual({ $ref: '#/components/schemas/TreeId' });
  expect(typeOf('loom.node_get', 'node')).toEqual({ $ref: '#/components/schemas/NodeId' });
  expect(typeOf('loom.turn_get', 'turn')).toEqual({ $ref: '#/components/schemas/TurnId' });
  expect(typeOf('bash.read', 'session') ?? typeOf('bash.close', 'session')).toEqual({
    $ref: '#/components/schemas/BashSessionId',
  });
});

test('a running hub gives the same description', async () => {
  await withHub(async ({ client }) => {
    const { version } = await client.call('health.check', {});
    expect(await client.call('rpc.discover', {})).toEqual(await openRpcDocument(version));
  });
});
