import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Leaf, NodeId, Tree, TurnId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { renderLeaves } from '../render/tree/leaves.js';
import { findNode, quoted } from './reference.js';

// A longer list is no help to choose from.
const LEAVES_MAX = 20;

/** The node that a command acts on: `--at` when given, else the saved position, else the only leaf. */
export async function positionOf(context: Context, tree: Tree, at: string | undefined): Promise<NodeId> {
  if (at !== undefined && at !== '@') return settledNode(context, tree, await findNode(context, tree.id, at));
  const saved = await savedPosition(context, tree);
  return saved ?? onlyLeaf(context, tree);
}

/** Resolves a reference to a node that need not be settled; `@` is the position. */
export async function nodeFrom(context: Context, tree: Tree, reference: string): Promise<NodeId> {
  return reference === '@' ? positionOf(context, tree, undefined) : findNode(context, tree.id, reference);
}

/** Notes that the position is in an archived branch, which is not shown. */
export function noteArchivedPosition(context: Context, node: NodeId): void {
  context.note(`You stand at ${shortId(node)}, in an archived branch. See it with --all.`);
}

/** The saved position, moved along with a followed turn; null when none is saved or the node is gone. */
async function savedPosition(context: Context, tree: Tree): Promise<NodeId | null> {
  const position = await followedPosition(context, tree);
  if (position === null) return null;
  if (position.node !== context.session.read().trees[tree.id]?.node) {
    const state = position.following === null ? 'has come to its end' : 'is under way';
    context.note(`The turn that you began ${state}, and you have come along to ${shortId(position.node)}.`);
  }
  const existing = await nodeIfThere(await context.client(), position.node, tree);
  if (existing === null) {
    context.note(`the saved position ${shortId(position.node)} is no longer in tree ${shortId(tree.id)}`);
    return null;
  }
  return existing.step_end;
}

/** The saved position; with a followed turn it is the tip of that turn, which is followed further while it runs. */
export async function followedPosition(
  context: Context,
  tree: Pick<Tree, 'id'>,
): Promise<{ node: NodeId; following: TurnId | null } | null> {
  const position = context.session.read().trees[tree.id];
  if (position === undefined) return null;
  const { node, following } = position;
  if (following === undefined) return { node, following: null };
  const turn = await turnIfThere(await context.client(), following);
  if (turn === null) return { node, following: null };
  const isUnderWay = turn.state === 'running' || turn.state === 'waiting';
  return { node: turn.tip, following: isUnderWay ? following : null };
}

/** A turn; null when it is unknown or has not begun. */
export async function turnIfThere(client: Client, turn: TurnId): Promise<ResultOf<'loom.turn_get'>['turn'] | null> {
  try {
    return (await client.call('loom.turn_get', { turn })).turn;
  } catch (error) {
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  }
}

/** The position, or null when it is ambiguous: for commands that only draw it. */
export async function knownPosition(context: Context, tree: Tree): Promise<NodeId | null> {
  const saved = await savedPosition(context, tree);
  if (saved !== null) return saved;
  const [leaf, other] = await leavesOf(context, tree, 2);
  return leaf !== undefined && other === undefined ? leaf.node.id : null;
}

/** The end that was written last; null when every branch is archived. */
export async function newestLeaf(context: Context, tree: Tree): Promise<NodeId | null> {
  const [leaf] = await leavesOf(context, tree, 1);
  return leaf?.node.id ?? null;
}

/** A node inside a step stands for the end of that step, because a position is always settled. */
export async function settledNode(context: Context, tree: Pick<Tree, 'id'>, node: NodeId): Promise<NodeId> {
  const existing = await (await context.client()).call('loom.node_get', { tree: tree.id, node });
  if (existing.step_end !== node) {
    context.note(`${shortId(node)} is inside a step; this is its end, ${shortId(existing.step_end)}`);
  }
  return existing.step_end;
}

async function nodeIfThere(client: Client, node: NodeId, tree: Tree): Promise<ResultOf<'loom.node_get'> | null> {
  try {
    return await client.call('loom.node_get', { tree: tree.id, node });
  } catch (error) {
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  }
}

async function onlyLeaf(context: Context, tree: Tree): Promise<NodeId> {
  const leaves = await leavesOf(context, tree, LEAVES_MAX);
  const [leaf, other] = leaves;
  if (leaf !== undefined && other === undefined) return leaf.node.id;
  if (leaf === undefined) {
    throw new HubError('not_found', `every branch of tree ${quoted(tree.name ?? shortId(tree.id))} is archived`, {
      hint: 'name a node with --at, or restore a branch',
    });
  }
  const look = await context.look(leaves.map(({ node, differs }) => node.preview + differs));
  const listed = renderLeaves(leaves, null, look).trimEnd();
  const most = leaves.length === LEAVES_MAX ? `at least ${LEAVES_MAX}` : leaves.length;
  throw new HubError('ambiguous', `it is not known where you stand in this tree; it has ${most} leaves:\n${listed}`, {
    hint: 'choose one: with --at <node>, or as the node where a command takes one',
    details: { leaves: leaves.map(({ node }) => node.id) },
  });
}

async function leavesOf(context: Context, tree: Tree, limit: number): Promise<readonly Leaf[]> {
  const client = await context.client();
  return (await client.call('loom.context_list_leaves', { tree: tree.id, limit })).leaves;
}
