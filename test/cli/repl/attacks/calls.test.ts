import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { HubError } from '../../../../hub/base/error.js';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { withHub } from '../../../support/hub.js';

const WRONG = [null, '', 'x', 0, -1, 1.5, true, [], {}, '\u0000', 'é'.repeat(5_000), '../..', { $ne: null }];

/** How a call ends: the kind of its refusal, or `ok`. */
async function endOf(client: Client, method: 'loom.tree_get_near' | 'agent.instructions_list', params: object) {
  try {
    // What no typed caller would send.
    await client.call(method, params as never);
    return 'ok';
  } catch (error) {
    if (error instanceof HubError) return error.kind;
    throw error;
  }
}

test('the first page of the navigator refuses any wrong param', async () => {
  await withHub(async ({ client }) => {
    const make = async (): Promise<TreeId> => TreeId.parse((await client.call('loom.tree_create', {})).id);
    const [tree, other, gone] = [await make(), await make(), await make()];
    const { confirm } = await client.call('loom.tree_purge', { tree: gone });
    await client.call('loom.tree_purge', { tree: gone, confirm });
    const right = { tree, node: tree, rows: 10 };
    const ask = (change: object) => endOf(client, 'loom.tree_get_near', { ...right, ...change });
    expect(await ask({})).toBe('ok');
    for (const [field, value] of ['tree', 'node', 'rows'].flatMap((name) => WRONG.map((one) => [name, one] as const))) {
      expect([field, value, await ask({ [field]: value })]).toEqual([field, value, 'invalid_params']);
    }
    expect(await ask({ rows: 1_001 })).toBe('invalid_params');
    expect(await ask({ more: 1 })).toBe('invalid_params');
    expect(await ask({ node: other })).toBe('not_found');
    expect(await ask({ node: randomUUID() })).toBe('not_found');
    expect(await ask({ tree: gone, node: gone })).toBe('not_found');
    const many = await Promise.all(Array.from({ length: 1_000 }, (_, at) => ask({ rows: (at % 1_000) + 1 })));
    expect(new Set(many)).toEqual(new Set(['ok']));
    expect((await client.call('health.check', {})).busy).toBe(0);
  });
});

test('agent.instructions_list refuses any wrong param', async () => {
  await withHub(async ({ client }) => {
    const tree = TreeId.parse((await client.call('loom.tree_create', {})).id);
    const right = { node: null, project: null, cwd: '/' };
    const ask = (change: object) => endOf(client, 'agent.instructions_list', { ...right, ...change });
    expect(await ask({})).toBe('ok');
    expect(await ask({ node: NodeId.parse(tree) })).toBe('ok');
    for (const value of WRONG.filter((one) => one !== null)) {
      expect([value, await ask({ node: value })]).toEqual([value, 'invalid_params']);
    }
    for (const value of [...WRONG, 'relative', `/${'a'.repeat(20_000)}`]) {
      expect([value, await ask({ cwd: value })]).toEqual([value, 'invalid_params']);
    }
    expect(await ask({ node: randomUUID() })).toBe('not_found');
    for (const cwd of ['/nowhere/at/all', '/a\u0000b', `/${'a/'.repeat(2_000)}`]) {
      expect([cwd, await ask({ cwd, project: cwd })]).toEqual([cwd, 'not_found']);
    }
    expect(await ask({ cwd: '/dev/null', project: '/dev/null' })).toBe('not_found');
    const many = await Promise.all(Array.from({ length: 1_000 }, () => ask({})));
    expect(new Set(many)).toEqual(new Set(['ok']));
    expect((await client.call('health.check', {})).busy).toBe(0);
  });
});
