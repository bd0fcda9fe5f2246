import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { repeatable } from '../../../hub/client/repeatable_call.js';
import type { MethodSpec } from '../../../hub/protocol/method.js';
import { METHODS, type MethodName } from '../../../hub/protocol/methods/method_table.js';
import { createCalls } from '../../../hub/routing/calls_under_way.js';

const TABLE = Object.entries<MethodSpec>(METHODS) as [MethodName, MethodSpec][]; // the keys of the table itself

type JsonSchema = z.core.JSONSchema._JSONSchema;

/** Where parameters hold an `id` that may be left out: `id`, `calls[].id`. */
function optionalIds(schema: JsonSchema, path = ''): string[] {
  if (typeof schema === 'boolean') return [];
  if (schema.type === 'array' && schema.items !== undefined && !Array.isArray(schema.items)) {
    return optionalIds(schema.items, `${path.slice(0, -1)}[].`);
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (name === 'id') return schema.required?.includes('id') === true ? [] : [`${path}id`];
    return optionalIds(field, `${path}${name}.`);
  });
}

/** Whether text stands where a path leads. */
function hasId(value: unknown, path: string): boolean {
  const [list, ...rest] = path.split('[].');
  const inner: unknown = Reflect.get(Object(value), list ?? '');
  if (rest.length === 0) return typeof inner === 'string';
  return Array.isArray(inner) && inner.every((item) => hasId(item, rest.join('[].')));
}

describe.each(TABLE)('%s', (name, { params, ids, repeats, keepsHubBusy }) => {
  const schema = z.toJSONSchema(params, { io: 'input' });

  test('makes every id that may be left out before it is sent', () => {
    expect([...ids].toSorted()).toEqual(optionalIds(schema).toSorted());
    const call = repeatable(name, { calls: [{}, {}] });
    for (const id of ids) expect(hasId(call.params(), id)).toBe(true);
  });

  test('is the same call when it is sent again', () => {
    const call = repeatable(name, { calls: [{}, {}] });
    expect(call.params()).toEqual(call.params());
    const named = { id: 'mine', calls: [{ id: 'also mine' }] };
    expect(repeatable(name, named).params()).toEqual(named);
  });

  test('is sent again when that is safe', () => {
    expect(repeatable(name, {}).resend).toBe(repeats === 'always');
    expect(repeatable(name, { append: true }).resend).toBe(repeats !== 'never');
    if (repeats === 'appended') expect(Object.keys(schema.properties ?? {})).toContain('append');
  });

  test('is counted by a hub that wants to end, if it would lose something', () => {
    const calls = createCalls();
    const call = calls.begin({ connection: 1, id: 1, method: name, stream: null, detached: false });
    expect(calls.busy()).toBe(keepsHubBusy ? 1 : 0);
    call.end();
    expect(calls.busy()).toBe(0);
  });
});
