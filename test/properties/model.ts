import { randomUUID } from 'node:crypto';
import type { Client } from '../../hub/client/client.js';
import { type External, MarkName, NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Action } from './plan.js';

export interface ModelNode {
  id: NodeId;
  parent: NodeId | null;
  text: string;
  /** Nodes inside a step take no children. */
  settled: boolean;
}

/** The expected tree, in the simplest form: a list in the order of creation. */
export interface Model {
  tree: TreeId;
  nodes: ModelNode[];
  marks: Map<MarkName, NodeId>;
  archived: Set<NodeId>;
}

const newNode = (): NodeId => NodeId.parse(randomUUID());

/** Builds a tree through the hub by the actions of a plan, together with its model. */
export async function buildTree(client: Client, plan: readonly Action[]): Promise<Model> {
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree });
  const root: ModelNode = { id: NodeId.parse(tree), parent: null, text: '', settled: true };
  const model: Model = { tree, nodes: [root], marks: new Map(), archived: new Set() };
  for (const action of plan) await perform(client, model, action);
  return model;
}

async function perform(client: Client, model: Model, action: Action): Promise<void> {
  const target = chooseTarget(model, action.at);
  switch (action.kind) {
    case 'text':
      return addTexts(client, { model, parent: target.id, role: action.role, texts: [action.text] });
    case 'together':
      return addTexts(client, { model, parent: target.id, role: 'user', texts: action.texts });
    case 'external':
      return addExternal(client, { model, parent: target.id, text: action.text });
    case 'step':
      return addStep(client, { model, parent: target.id, text: action.text, results: action.results });
    case 'mark': {
      const mark = MarkName.parse(action.name);
      await client.call('loom.mark_set', { tree: model.tree, name: mark, node: target.id });
      model.marks.set(mark, target.id);
      return;
    }
    case 'archive':
      if (target.parent === null || isHidden(model, target)) return;
      await client.call('loom.branch_archive', { tree: model.tree, node: target.id });
      model.archived.add(stepStart(model, target).id);
  }
}

/** The first node of the step that a node ends; a step is archived whole. */
function stepStart(model: Model, node: ModelNode): ModelNode {
  const parent = model.nodes.find(({ id }) => id === node.parent);
  return parent === undefined || parent.settled ? node : stepStart(model, parent);
}

/** A settled node outside any archived branch: the root is always one. */
function chooseTarget(model: Model, at: number): ModelNode {
  const candidates = model.nodes.filter((node) => node.settled && !isHidden(model, node));
  const [root] = candidates;
  const target = candidates[at % candidates.length] ?? root;
  if (target === undefined) throw new Error('a tree has at least its root');
  return target;
}

interface Texts {
  model: Model;
  parent: NodeId;
  role: 'user' | 'assistant';
  texts: readonly string[];
}

async function addTexts(client: Client, { model, parent, role, texts }: Texts): Promise<void> {
  const created = await Promise.all(
    texts.map((text) =>
      client.call('loom.node_create_text', {
        id: newNode(),
        tree: model.tree,
        parent,
        role,
        blocks: [{ type: 'text', text }],
      }),
    ),
  );
  // The hub orders concurrent calls: the model adopts its order.
  const nodes = created
    .map(({ node }, index) => ({ node, text: texts[index] ?? '' }))
    .sort((a, b) => a.node.seq - b.node.seq);
  for (const { node, text } of nodes) model.nodes.push({ id: node.id, parent, text, settled: true });
}

async function addExternal(
  client: Client,
  { model, parent, text }: { model: Model; parent: NodeId; text: string },
): Promise<void> {
  const id = newNode();
  const { tree } = model;
  await client.call('loom.node_create_external', {
    id,
    tree,
    parent,
    blocks: [{ type: 'text', text }],
    external: external(null),
  });
  model.nodes.push({ id, parent, text, settled: true });
}

interface Step {
  model: Model;
  parent: NodeId;
  text: string;
  results: readonly string[];
}

async function addStep(client: Client, { model, parent, text, results }: Step): Promise<void> {
  const id = newNode();
  const calls = results.map((result, index) => ({ id: newNode(), call: `call_${index}`, result }));
  await client.call('loom.step_create', {
    tree: model.tree,
    parent,
    id,
    blocks: [
      { type: 'text', text },
      ...calls.map(({ call }) => ({ type: 'call' as const, id: call, tool: 'bash', input: {} })),
    ],
    calls: calls.map(({ id: node, call, result }) => ({
      id: node,
      blocks: [{ type: 'text' as const, text: result }],
      external: external(call),
    })),
  });
  const members = [{ id, text }, ...calls.map(({ id: node, result }) => ({ id: node, text: result }))];
  members.forEach((member, index) => {
    const above = members[index - 1]?.id ?? parent;
    model.nodes.push({ ...member, parent: above, settled: index === members.length - 1 });
  });
}

function external(call: string | null): External {
  return {
    call: { tool: 'bash', input: {}, id: call },
    handle: { source: 'bash', source_version: '1.0.0', identifier: 'session-1/cmd-1', metadata: { command: 'true' } },
    output: null,
    exit_code: 0,
    signal: null,
    duration_ms: 1,
    cwd: null,
  };
}

/** The nodes from the root to a node. */
export function pathOf(model: Model, node: ModelNode): ModelNode[] {
  const path: ModelNode[] = [];
  for (let at: ModelNode | undefined = node; at !== undefined; at = model.nodes.find(({ id }) => id === at?.parent))
    path.unshift(at);
  return path;
}

/** The children of a node, oldest first. */
export function childrenOf(model: Model, id: NodeId): ModelNode[] {
  return model.nodes.filter(({ parent }) => parent === id);
}

/** Whether a node is in an archived branch. */
export function isHidden(model: Model, node: ModelNode): boolean {
  return pathOf(model, node).some(({ id }) => model.archived.has(id));
}
