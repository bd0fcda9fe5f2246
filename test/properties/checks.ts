import { expect } from 'vitest';
import { textOf } from '../../hub/base/node_blocks.js';
import type { Client } from '../../hub/client/client.js';
import type { ExportRecord } from '../../hub/protocol/methods/tree_methods.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import { childrenOf, isHidden, type Model, type ModelNode, pathOf } from './model.js';

const ids = (nodes: readonly { id: NodeId }[]): NodeId[] => nodes.map(({ id }) => id);

/** The path to every node begins at the root, ends at the node and holds what was written. */
export async function checkPaths(client: Client, model: Model): Promise<void> {
  for (const node of model.nodes) {
    const path: Node[] = [];
    for await (const step of client.pages('loom.context_get_path', { node: node.id, limit: 7 }, 'nodes'))
      path.push(step);
    const expected = pathOf(model, node);
    expect(ids(path)).toEqual(ids(expected));
    expect(path.map(({ blocks }) => textOf(blocks))).toEqual(expected.map(({ text }) => text));
    expect(path.map(({ depth }) => depth)).toEqual(expected.map((_, depth) => depth));
  }
}

/** The skeleton lists every node that is not hidden, parents before their children; the children of a node are those that name it as parent. */
export async function checkShape(client: Client, model: Model): Promise<void> {
  const { tree } = model;
  const visible = model.nodes.filter((node) => !isHidden(model, node));
  const skeleton: { id: NodeId; parent: NodeId | null }[] = [];
  for await (const node of client.pages('loom.tree_get_skeleton', { tree, limit: 5 }, 'nodes')) skeleton.push(node);
  expect(skeleton.map(({ id, parent }) => ({ id, parent }))).toEqual(visible.map(({ id, parent }) => ({ id, parent })));
  const everything: NodeId[] = [];
  for await (const node of client.pages('loom.tree_get_skeleton', { tree, archived: true }, 'nodes'))
    everything.push(node.id);
  expect(everything).toEqual(ids(model.nodes));
  for (const { id } of model.nodes) {
    const { children } = await client.call('loom.node_get_children', { node: id, archived: true });
    expect(ids(children)).toEqual(ids(childrenOf(model, id)));
  }
}

/** The leaves are the nodes without visible children, and the counts of the tree agree with the model. */
export async function checkLeaves(client: Client, model: Model): Promise<void> {
  const visible = model.nodes.filter((node) => !isHidden(model, node));
  const isLeaf = (node: ModelNode): boolean => !visible.some(({ parent }) => parent === node.id);
  const leaves: NodeId[] = [];
  for await (const leaf of client.pages('loom.context_list_leaves', { tree: model.tree, limit: 3 }, 'leaves'))
    leaves.push(leaf.node.id);
  expect(leaves).toEqual(ids(visible.filter(isLeaf)).reverse());
  const tree = await client.call('loom.tree_get', { tree: model.tree });
  expect({ nodes: tree.node_count, branches: tree.branch_count }).toEqual({
    nodes: model.nodes.length,
    branches: leaves.length,
  });
}

/** Each mark points where it was last set. */
export async function checkMarks(client: Client, model: Model): Promise<void> {
  const { marks } = await client.call('loom.mark_list', { tree: model.tree });
  expect(new Map(marks.map(({ name, node }) => [name, node]))).toEqual(model.marks);
}

/** A word of a text is found in its tree exactly at the nodes that contain it. */
export async function checkSearch(client: Client, model: Model): Promise<void> {
  for (const { text } of model.nodes.slice(-5)) {
    const [word] = /[a-z数据é]{2,}/u.exec(text) ?? [];
    if (word === undefined) continue;
    const found: NodeId[] = [];
    for await (const hit of client.pages(
      'loom.search',
      { query: `"${word}"`, tree: model.tree, archived: true },
      'hits',
    ))
      found.push(hit.node);
    const expected = model.nodes.filter((node) => node.text.toLowerCase().includes(word));
    expect(found).toEqual(ids(expected).reverse());
  }
}

/** The records of an export, in order. */
async function readExport(client: Client, model: Model): Promise<ExportRecord[]> {
  const records: ExportRecord[] = [];
  for await (const record of client.pages('loom.tree_export', { tree: model.tree, limit: 9 }, 'records'))
    records.push(record);
  return records;
}

/** A second home exports the same records after an import, and a second import adds nothing. */
export async function checkExportImport(client: Client, other: Client, model: Model): Promise<void> {
  const records = await readExport(client, model);
  const { tree } = model;
  const result = await other.call('loom.tree_import', { tree, records, done: true });
  expect(result).toMatchObject({ present: 0, tree: { id: tree, node_count: model.nodes.length } });
  expect(await readExport(other, model)).toEqual(records);
  await checkPaths(other, model);
  expect(await other.call('loom.tree_import', { tree, records, done: true })).toMatchObject({ added: 0 });
}

/** Every hash, parent, step and count of the tree holds. */
export async function checkFsck(client: Client, model: Model): Promise<void> {
  const { nodes, problems } = await client.call('loom.fsck', { tree: model.tree });
  expect({ nodes, problems }).toEqual({ nodes: model.nodes.length, problems: [] });
}
