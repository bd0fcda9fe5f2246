import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSkeleton } from '../../../cli/position/skeleton.js';
import { createTreeShape, type TreePage, type TreeShape } from '../../../cli/repl/navigator/tree_shape.js';
import { childrenOf } from '../../../cli/repl/tree/open_tree_shape.js';
import { NONE } from '../../../cli/web/page/core/node_table.js';
import { addPage, type Columns, createColumns, indexOf } from '../../../cli/web/page/core/tree_columns.js';
import { fileSource } from '../../../cli/web/page/source/from_file.js';
import { NodeId, type TreeId } from '../../../hub/protocol/node.js';
import { PROGRAM } from '../../support/cli.js';
import type { TestHub } from '../../support/hub.js';
import { stepParts } from '../../support/trees.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, siblingsOf, sync, withHubs } from './shared_trees.js';

describe.skipIf(POSTGRES_BIN === null)('the order of siblings', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('of a shared tree is that in which they were made, then that of their ids, whatever came first', async () => {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const root = NodeId.parse(tree);
      await anna.client.call('sharing.share', { remote, tree });
      await sync(ben, tree);
      const inner = await growApart([anna, ben], tree);
      const [wanted] = await inOrderMade(anna, [root]);
      expect(wanted).toHaveLength(9);
      expect(wanted?.[0]).toBe(inner);
      expect(await siblingsOf(anna, tree)).toEqual(await siblingsOf(ben, tree));
      for (const hub of [anna, ben]) {
        expect(await inOrderMade(hub, [root])).toEqual([wanted]);
        await expectOrder(hub, tree, [root, inner]);
        expect((await hub.client.call('loom.fsck', {})).problems).toEqual([]);
      }
    });
  });

  test('of a tree that is not shared is that in which they came, until it is shared', async () => {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const root = NodeId.parse(tree);
      const came: NodeId[] = [];
      for (const atMs of [30, 20, 10]) came.push(await sayAt(anna, { tree, node: root }, atMs));
      expect(await listed(anna, [root])).toEqual([came]);
      expect(await siblingsOf(anna, tree)).toEqual([[tree, came]]);
      await anna.client.call('sharing.share', { remote, tree });
      await sync(ben, tree);
      const made = [...came].reverse();
      for (const hub of [anna, ben]) {
        expect(await listed(hub, [root])).toEqual([made]);
        expect(await siblingsOf(hub, tree)).toEqual([[tree, made]]);
        expect(await inPageFile(hub, tree)).toEqual(made);
      }
      // It stays so when it is shared no longer.
      await anna.client.call('sharing.unshare', { remote, tree });
      expect(await listed(anna, [root])).toEqual([made]);
    });
  });
});

/** Two hubs add siblings without each other; returns the first of them, below which there are more. */
async function growApart([anna, ben]: readonly [TestHub, TestHub], tree: TreeId): Promise<NodeId> {
  const node = NodeId.parse(tree);
  const inner = await sayAt(ben, { tree, node }, 5);
  for (const hub of [ben, anna]) await sync(hub);
  // Some at the same time, so that their ids decide.
  for (const atMs of [10, 20, 20, 10]) await sayAt(anna, { tree, node }, atMs);
  for (const atMs of [30, 20, 40, 20]) await sayAt(ben, { tree, node }, atMs);
  for (const atMs of [9, 8]) await sayAt(ben, { tree, node: inner }, atMs);
  // An answer that only calls tools is shown by its calls.
  await callAt(anna, { tree, node: inner }, 7);
  await callAt(ben, { tree, node: inner }, 6);
  for (const hub of [anna, ben, anna]) expect((await sync(hub)).trees).toMatchObject([{ problem: null }]);
  return inner;
}

/** That every reading has the children of two nodes in the order in which they were made. */
async function expectOrder(hub: TestHub, tree: TreeId, [outer, inner]: readonly [NodeId, NodeId]): Promise<void> {
  const wanted = await inOrderMade(hub, [outer, inner]);
  expect(await listed(hub, [outer, inner])).toEqual(wanted);
  const whole = await hub.client.call('loom.tree_get_shape', { tree });
  const near = await hub.client.call('loom.tree_get_near', { tree, node: outer, rows: 1_000 });
  for (const page of [whole, near]) expect(await inColumns(hub, page, outer)).toEqual(wanted[0]);
  for (const shape of [shapeOf(whole), shapeOf(near), await readInParts(hub, tree)])
    expect(await inShape(hub, shape, outer)).toEqual(wanted[0]);
  // In the place of each answer that only calls stands its call.
  const skeleton = await readSkeleton(hub.client, { id: tree }, true);
  const callOf = (id: string): string =>
    skeleton.find(({ role, parent }) => role === 'tool' && parent === id)?.id ?? id;
  expect(await inShape(hub, shapeOf(whole), inner)).toEqual(wanted[1]?.map(callOf));
}

function shapeOf(...pages: readonly TreePage[]): TreeShape {
  const shape = createTreeShape();
  for (const page of pages) shape.add(page);
  return shape;
}

/** As a navigator does, which reads on after what it knows. */
async function readInParts(hub: TestHub, tree: TreeId): Promise<TreeShape> {
  const first = await hub.client.call('loom.tree_get_shape', { tree, limit: 4 });
  const cursor = String(shapeOf(first).lastSeq());
  return shapeOf(first, await hub.client.call('loom.tree_get_shape', { tree, cursor }));
}

async function sayAt(hub: TestHub, { tree, node }: { tree: TreeId; node: NodeId }, atMs: number): Promise<NodeId> {
  const { node: made } = await hub.client.call('loom.node_create_text', {
    ...{ tree, parent: node, role: 'user', blocks: [{ type: 'text', text: `at ${atMs}` }], created_at_ms: atMs },
  });
  return made.id;
}

/** An answer without words that calls a tool. */
async function callAt(hub: TestHub, { tree, node }: { tree: TreeId; node: NodeId }, atMs: number): Promise<void> {
  const { blocks, calls } = stepParts('', ['true']);
  const silent = blocks.filter(({ type }) => type === 'call');
  await hub.client.call('loom.step_create', { tree, parent: node, blocks: silent, calls, created_at_ms: atMs });
}

/** The children of some nodes by their times, then their ids. */
async function inOrderMade(hub: TestHub, nodes: readonly NodeId[]): Promise<string[][]> {
  const all = [];
  for (const node of nodes) {
    const { children } = await hub.client.call('loom.node_get_children', { node, archived: true });
    const sorted = children.sort((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1));
    all.push(sorted.map(({ id }) => id));
  }
  return all;
}

/** The children of some nodes as they are listed, in small pages. */
async function listed(hub: TestHub, nodes: readonly NodeId[]): Promise<string[][]> {
  const all: string[][] = [];
  for (const node of nodes) {
    const children: string[] = [];
    for await (const { id } of hub.client.pages('loom.node_get_children', { node, limit: 2 }, 'children'))
      children.push(id);
    all.push(children);
  }
  return all;
}

async function inColumns(hub: TestHub, page: TreePage, node: NodeId): Promise<string[]> {
  const columns = createColumns();
  addPage(columns, page);
  const { seq } = (await hub.client.call('loom.node_get', { node })).node;
  return idsOf(hub, childrenInColumns(columns, indexOf(columns, seq)));
}

function childrenInColumns(columns: Columns, index: number): number[] {
  const seqs: number[] = [];
  for (let at = columns.firstChild[index] ?? NONE; at !== NONE; at = columns.nextSibling[at] ?? NONE)
    seqs.push(columns.seq[at] ?? NONE);
  return seqs;
}

async function inShape(hub: TestHub, shape: TreeShape, node: NodeId): Promise<string[]> {
  const { seq } = (await hub.client.call('loom.node_get', { node })).node;
  return idsOf(
    hub,
    childrenOf(shape, shape.indexOf(seq)).map((index) => shape.seqOf(index)),
  );
}

/** The children of the root as a page shows them that is a file. */
async function inPageFile(hub: TestHub, tree: TreeId): Promise<string[]> {
  const env = { ...process.env, COGNITION_HOME: hub.home };
  const { stdout: page } = await promisify(execFile)(PROGRAM, ['export', tree, '--all', '--format', 'html'], { env });
  const data = /<script type="application\/octet-stream" id="data">([^<]*)</.exec(page)?.[1] ?? '';
  const columns = createColumns();
  await fileSource(JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString())).load(columns);
  return idsOf(hub, childrenInColumns(columns, 0));
}

async function idsOf(hub: TestHub, seqs: readonly number[]): Promise<string[]> {
  const { trees } = await hub.client.call('loom.tree_list', {});
  const tree = trees[0]?.id;
  if (tree === undefined) throw new Error('there is a tree');
  return (await hub.client.call('loom.tree_get_lines', { tree, seqs: [...seqs] })).nodes.map(({ id }) => id);
}
