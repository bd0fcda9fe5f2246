import type { Client } from '../../hub/client/client.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { branchesAt } from '../position/branches_at.js';
import { withLongerPreviews } from '../position/longer_previews.js';
import { noteArchivedPosition, positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { readSkeleton } from '../position/skeleton.js';
import { type Branch, renderBranches } from '../render/tree/branches.js';
import { type Outline, outlineOf } from '../render/tree/outline.js';
import { pathOf } from '../reports/resolved_path.js';

export const branchesCommand = command({
  name: 'branches',
  summary: 'List the branches where you stand, or at the nearest fork above.',
  arguments: [CURRENT_TREE],
  flags: [{ name: 'all', short: null, description: 'with archived branches' }],
  values: [{ name: 'at', value: 'node', choices: null, description: `look from this node: ${NODE_WORDS}` }],
  examples: [{ line: 'cognition branches', does: 'lists the ways that the current conversation went on' }],
  async run(input, context) {
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const position = await positionOf(context, tree, input.value('at'));
    const branches = await listedBranches(context, tree, { position, all: input.flag('all') });
    if (context.json) {
      await context.printJson(branches);
      return EXIT.ok;
    }
    const look = await context.look(branches.map(({ title }) => title.preview));
    await context.out.write(renderBranches(branches, look));
    return EXIT.ok;
  },
});

/** The branches at a position or above it; `all` includes archived ones. */
async function listedBranches(
  context: Context,
  tree: Pick<Tree, 'id'>,
  { position, all }: { position: NodeId; all: boolean },
): Promise<Branch[]> {
  const client = await context.client();
  const skeleton = await readSkeleton(client, tree, all);
  const outline = outlineOf(context.json ? skeleton : await withLongerPreviews(client, skeleton));
  const isVisible = outline.indexOf(position) !== undefined;
  if (!isVisible) noteArchivedPosition(context, position);
  return branchesAt(outline, isVisible ? position : await visibleAbove(client, outline, position));
}

/** The nearest node above an archived branch. */
async function visibleAbove(client: Client, outline: Outline, node: NodeId): Promise<NodeId> {
  let above = node;
  for await (const one of pathOf(client, node)) if (outline.indexOf(one.id) !== undefined) above = one.id;
  return above;
}
