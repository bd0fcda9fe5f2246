import type { NodeId, Tree, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';
import { newTreeId } from './ids.js';
import { workFolder } from './project_folder.js';
import { remember } from './remember.js';

export interface Forked {
  tree: Tree;
  /** The copy of the node that was forked. */
  node: NodeId;
}

/** Copies the path to a node into a conversation of its own, where the person stands then. */
export async function forkTree(
  context: Context,
  from: { tree: TreeId; node: NodeId; name: string | null },
): Promise<Forked> {
  const client = await context.client();
  const params = { ...from, id: newTreeId() };
  for (;;) {
    // A long path is copied in pieces; the tree is hidden until it has all of them.
    const { forked } = await client.call('loom.tree_fork', params);
    if (forked === null) continue;
    const { tree, node } = forked;
    await remember(context, async (session) => {
      await session.move(tree.id, node);
      await session.use(tree.id, workFolder(tree, context.project));
    });
    return forked;
  }
}

/** What a conversation was forked from, in words; null when it begins with itself. */
export async function originWords(context: Context, { forked_from: origin }: Tree): Promise<string | null> {
  if (origin === null) return null;
  const client = await context.client();
  const { matches } = await client.call('loom.tree_find', { ref: origin.tree });
  const [source] = matches;
  const node = shortId(origin.node);
  if (source === undefined) return `Forked at ${node} from ${shortId(origin.tree)}, which is gone.`;
  return `Forked at ${node} from ${shortId(source.id)}, "${treeWords(source)}".`;
}
