import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HubError } from '../../hub/base/error.js';
import { METHODS } from '../../hub/protocol/methods/method_table.js';
import { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { NodeId } from '../../hub/protocol/node.js';
import { type Called, SUBJECTS, type World, withWorld } from './conforming.js';
import { POSTGRES_BIN, startServer, type TestServer } from './postgres/server.js';

let database: TestServer | null = null;
beforeAll(async () => {
  if (POSTGRES_BIN !== null) database = await startServer();
});
afterAll(() => database?.stop());

const inWorld = <T>(use: (world: World) => Promise<T>): Promise<T> => withWorld(database, use);
const appended = ({ tree, root }: World): Called & { id: NodeId } => ({
  ...{ id: NodeId.parse(randomUUID()), place: { tree, node: root }, append: true },
});
const ofNobody: Called = { place: null, append: false };

async function childrenOf({ client, root }: World): Promise<string[]> {
  return (await client.call('loom.node_get_children', { node: root })).children.map(({ id }) => id);
}

async function storedBy({ client }: World, { external }: ToolAnswer): Promise<string> {
  const sha256 = external.output?.sha256;
  if (sha256 === undefined) return '';
  return Buffer.from((await client.call('loom.blob_read', { sha256 })).data, 'base64').toString();
}

test('every method that the method table assigns to the tools is served there', async () => {
  await inWorld(async ({ client }) => {
    const unserved: string[] = [];
    for (const [method, { host }] of Object.entries(METHODS)) {
      if (host !== 'tools') continue;
      // The hub refuses wrong parameters before it calls the tools; these calls reach them.
      const call = client.call as (name: string, params: object) => Promise<unknown>;
      await call(method, SMALLEST[method] ?? {}).catch((error: unknown) => {
        if (error instanceof HubError && error.kind === 'method_not_found') unserved.push(method);
      });
    }
    expect(unserved).toEqual([]);
  });
});

const policy = { kind: 'open' } as const;
const SMALLEST: Record<string, object> = {
  'bash.open': { cwd: '/', environment: null, policy },
  'bash.execute': { session: 'none', command: 'true' },
  'bash.cancel': { id: '00000000-0000-4000-8000-000000000001' },
  'bash.close': { session: 'none' },
  'file.read': { path: '/nowhere', policy },
  'file.write': { path: '/nowhere/at/all/\0', content: '', policy },
  'file.edit': { path: '/nowhere', old_text: 'a', new_text: 'b', policy },
  'file.change_preview': { path: '/nowhere/a', policy, change: { kind: 'write' as const, content: '' } },
  'file.path_resolve': { path: '/nowhere' },
  'file.project_list': { folder: '/nowhere', stream: 'a' },
  'file.project_read': { project: null, branch: null, caller: '/nowhere', parts: [] },
  'http.fetch': { url: 'none', policy },
  'postgres.query': { connection: 'none', sql: 'SELECT 1', policy },
};

test('a file is not changed where the node could not be appended', async () => {
  await inWorld(async (world) => {
    const { client, tree, folder } = world;
    await client.call('loom.tree_archive', { tree });
    const path = join(folder, 'letters.txt');
    const before = readFileSync(path, 'utf8');
    const write = client.call('file.write', { ...appended(world), path, content: 'x', policy });
    await expect(write).rejects.toMatchObject({ kind: 'archived' });
    const edit = client.call('file.edit', { ...appended(world), path, old_text: 'alpha', new_text: 'x', policy });
    await expect(edit).rejects.toMatchObject({ kind: 'archived' });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});

describe.each(SUBJECTS)('the plugin $plugin', ({ plugin, call, callWrong, change, stores }) => {
  test('begins nothing where its node could not be appended', async () => {
    await inWorld(async (world) => {
      const { client, tree } = world;
      await client.call('loom.tree_archive', { tree });
      // Also a call that would fail at its first step does not come to that.
      for (const begin of [call, callWrong])
        await expect(begin(world, appended(world))).rejects.toMatchObject({ kind: 'archived' });
      await client.call('loom.tree_restore', { tree });
      expect(await childrenOf(world)).toEqual([]);
    });
  });

  test('answers in the form of the method table and names itself as the source', async () => {
    await inWorld(async (world) => {
      const answer = ToolAnswer.parse(await call(world, appended(world)));
      expect(answer.external.handle).toMatchObject({
        source: plugin,
        source_version: expect.stringMatching(/^\d+\.\d+/),
      });
      expect(answer.external.call.id).toBeNull();
      expect(answer.blocks.length).toBeGreaterThan(0);
      expect(await storedBy(world, answer)).toBe(stores);
    });
  });

  test('appends one node at the requested position, and no second one for the same id', async () => {
    await inWorld(async (world) => {
      const request = appended(world);
      const first = await call(world, request);
      const again = await call(world, request);
      expect(first.node?.id).toBe(request.id);
      expect(again.node?.hash).toBe(first.node?.hash);
      expect(await childrenOf(world)).toEqual([request.id]);
    });
  });

  test('appends nothing without a request to append', async () => {
    await inWorld(async (world) => {
      const { place } = appended(world);
      for (const called of [ofNobody, { place, append: false }]) expect((await call(world, called)).node).toBeNull();
      expect(await childrenOf(world)).toEqual([]);
    });
  });

  test('fails with a plain message, and then appends nothing', async () => {
    await inWorld(async (world) => {
      const failure = await callWrong(world, appended(world)).then(
        () => null,
        (error: unknown) => error,
      );
      if (!(failure instanceof HubError)) throw new Error(`it did not fail: ${String(failure)}`);
      expect(['internal', 'unreachable', 'invalid_request']).not.toContain(failure.kind);
      expect(failure.message).not.toMatch(/\n\n|undefined|\[object/);
      expect(await childrenOf(world)).toEqual([]);
    });
  });

  test('does nothing for a call that is cancelled before it begins', async () => {
    await inWorld(async (world) => {
      const cancelled = call(world, appended(world), AbortSignal.abort());
      await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
      expect(await childrenOf(world)).toEqual([]);
    });
  });

  test('refuses a position that is in no tree, and one in another tree', async () => {
    await inWorld(async (world) => {
      const { id, place } = appended(world);
      const node = NodeId.parse(randomUUID());
      await expect(call(world, { id, append: true, place: { tree: world.tree, node } })).rejects.toMatchObject({
        kind: 'not_found',
      });
      const other = await world.client.call('loom.tree_create', {});
      const elsewhere = { tree: other.id, node: place?.node ?? node };
      await expect(call(world, { id, append: true, place: elsewhere })).rejects.toBeInstanceOf(HubError);
      expect(await childrenOf(world)).toEqual([]);
    });
  });

  test('leaves a handle that resolves to the same result, also after all processes were killed', async () => {
    await inWorld(async (world) => {
      const { id } = appended(world);
      await call(world, { ...appended(world), id });
      await change?.(world);
      for (const now of [world, await world.restart()]) {
        const { text, placeholder } = await now.client.call('context.resolve', { node: id });
        expect({ text, placeholder }).toEqual({ text: stores, placeholder: null });
      }
    });
  });

  test('reports with a fresh look what has changed, or that nothing has', async () => {
    await inWorld(async (world) => {
      const { id } = appended(world);
      await call(world, { ...appended(world), id });
      const fresh = () => world.client.call('context.resolve', { node: id, fresh: true });
      expect(await fresh()).toMatchObject({ changed: null, placeholder: null, text: stores });
      if (change === null) return;
      await change(world);
      const { changed, text } = await fresh();
      expect(changed).toEqual(expect.any(String));
      expect(text).not.toBe(stores);
    });
  });

  test('serves many calls at once, each with its own node', async () => {
    await inWorld(async (world) => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const request = appended(world);
          expect((await call(world, request)).node?.id).toBe(request.id);
          return request.id;
        }),
      );
      expect((await childrenOf(world)).toSorted()).toEqual(ids.toSorted());
    });
  });
});
