import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { type FileTools, OPEN, refused, storedOf, textOf, withFileTools } from './tool_calls.js';

/** Reads a file into a node, and answers with its id. */
async function nodeOf({ client, tree, root }: FileTools, path: string): Promise<NodeId> {
  const id = NodeId.parse(randomUUID());
  const place = { tree, node: root };
  await client.call('file.read', { id, path, place, append: true, limit: null, policy: OPEN });
  return id;
}

test('a stored output is read by its node, by lines and whole, although the file has changed since', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', 'one\ntwo\nthree\n');
    const node = await nodeOf(tools, path);
    await writeFile(path, 'other\n');
    const stored = `output:${node}`;
    const part = await tools.client.call('file.read', { path: stored, offset: 2, limit: 1, policy: OPEN });
    expect(textOf(part)).toBe('two\n[lines 2 to 2 of 3; read on with offset=3]');
    const whole = await tools.client.call('file.read', { path: stored, limit: null, policy: OPEN });
    expect((await storedOf(tools.client, whole)).toString()).toBe('one\ntwo\nthree\n');
  }));

test('a large stored output goes from one node to another in pieces, byte for byte', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('large.txt', 'a line of text\n'.repeat(600_000));
    const node = await nodeOf(tools, path);
    const whole = await tools.client.call('file.read', { path: `output:${node}`, limit: null, policy: OPEN });
    expect(whole.external.output).toMatchObject({ size_bytes: 9_000_000, total_bytes: 9_000_000 });
    const { node: first } = await tools.client.call('loom.node_get', { node });
    expect(first.kind === 'external' && first.external.output?.sha256).toBe(whole.external.output?.sha256);
  }));

test('a model reads stored outputs of the tree that it works in, and of no other, also in concurrent calls', () =>
  withFileTools(async (tools) => {
    const { client, tree, root, contained } = tools;
    const node = await nodeOf(tools, await tools.put('a.txt', 'mine\n'));
    const other = TreeId.parse(randomUUID());
    await client.call('loom.tree_create', { id: other });
    const elsewhere = (await client.call('loom.tree_get_skeleton', { tree: other })).nodes[0]?.id ?? root;
    const read = (place: { tree: TreeId; node: NodeId } | null) =>
      client.call('file.read', { path: `output:${node}`, place, policy: contained });
    const calls = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0
        ? read({ tree, node: root }).then(textOf)
        : refused(read({ tree: other, node: elsewhere })).then(({ kind }) => kind),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['mine', 'not_found']));
    expect((await refused(read(null))).kind).toBe('unauthorised');
    // Naming the tree of the other node does not help.
    const claimed = await refused(read({ tree: other, node: root }));
    expect(claimed.kind).toBe('not_found');
  }));

test('an output that is read while its node is being created is whole or absent', () =>
  withFileTools(async (tools) => {
    const { client, tree, root } = tools;
    const path = await tools.put('a.txt', 'all of it\n'.repeat(200_000));
    const id = NodeId.parse(randomUUID());
    const made = client.call('file.read', {
      id,
      path,
      place: { tree, node: root },
      append: true,
      limit: null,
      policy: OPEN,
    });
    const outcomes = new Set<string>();
    const look = async (): Promise<void> => {
      const call = client.call('file.read', { path: `output:${id}`, limit: null, policy: OPEN });
      outcomes.add(
        await call.then(
          ({ external }) => String(external.output?.size_bytes),
          ({ kind }) => kind,
        ),
      );
    };
    let isMade = false;
    const watching = made.finally(() => {
      isMade = true;
    });
    while (!isMade) await look();
    await watching;
    await look();
    outcomes.delete('not_found');
    expect([...outcomes]).toEqual(['2000000']);
  }));

test('a file whose name looks like a stored output is read as ./name', () =>
  withFileTools(async (tools) => {
    await mkdir(join(tools.folder, 'sub'));
    await tools.put('output:x', 'a file\n');
    const options = { cwd: tools.folder, policy: tools.contained };
    expect(textOf(await tools.client.call('file.read', { ...options, path: './output:x' }))).toBe('a file');
    expect((await refused(tools.client.call('file.read', { ...options, path: 'output:x' }))).message).toBe(
      'output:x names no node',
    );
  }));
