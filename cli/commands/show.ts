import type { Client } from '../../hub/client/client.js';
import type { NodeId, SkeletonNode, Tree } from '../../hub/protocol/node.js';
import { leavesOf } from '../../loom/tree.js';
import { CURRENT_TREE, command, type Input, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { writeLines } from '../output/sink.js';
import { originWords } from '../position/fork_tree.js';
import { withLongerPreviews } from '../position/longer_previews.js';
import { knownPosition, noteArchivedPosition } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { findNode, findTree } from '../position/reference.js';
import { readSkeleton } from '../position/skeleton.js';
import { count, shortId } from '../render/text/ids_and_counts.js';
import { type TreeLine, treeLines } from '../render/tree/draw_tree.js';
import { type Outline, outlineOf } from '../render/tree/outline.js';
import { overviewLines } from '../render/tree/overview.js';

const PAGE_MAX = 1_000;
const FORKS_TOLD = 5;

export const showCommand = command({
  name: 'show',
  summary: 'Draw a conversation as a tree.',
  details:
    'The path to where you stand is straight, and from there on the branch with the most nodes; others leave it to the right.',
  arguments: [CURRENT_TREE],
  flags: [
    { name: 'nested', short: null, description: 'every node one level deeper than the one before' },
    { name: 'all', short: null, description: 'with archived branches' },
    {
      name: 'files',
      short: null,
      description: 'how many files differ there from where you stand, as they are recorded',
    },
    { name: 'ids', short: null, description: 'with the short id of every node' },
    {
      name: 'forks',
      short: null,
      description: 'one line for each branch: what was asked differently, size, age, price, files',
    },
  ],
  values: [{ name: 'at', value: 'node', choices: null, description: `mark this as the position: ${NODE_WORDS}` }],
  paged: true,
  examples: [
    { line: 'cognition show', does: 'draws the current conversation' },
    { line: 'cognition show a1b2c3d4 --ids', does: 'draws another one, with ids to use elsewhere' },
    { line: 'cognition show --forks', does: 'tells the branches of a large one apart' },
  ],
  async run(input, context) {
    const { lines, overview } = await drawnTree(input, context);
    await writeLines(context.out, textsOf(input.flag('forks') ? await overview() : lines));
    return EXIT.ok;
  },
});

function* textsOf(lines: Iterable<TreeLine>): Generator<string> {
  for (const { text } of lines) yield text;
}

interface DrawnTree {
  tree: Tree;
  lines: Iterable<TreeLine>;
  /** One line for each branch. */
  overview(): Promise<TreeLine[]>;
}

/** The tree that `show` draws; without lines with --json, which prints it instead. */
export async function drawnTree(
  input: Input<'tree', 'nested' | 'all' | 'ids' | 'forks' | 'files', 'at'>,
  context: Context,
): Promise<DrawnTree> {
  const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
  const client = await context.client();
  const stored = await readSkeleton(client, tree, input.flag('all'));
  const skeleton = context.json ? stored : await withLongerPreviews(client, stored);
  const outline = outlineOf(skeleton);
  const at = input.value('at');
  const target = at === undefined || at === '@' ? null : await findNode(context, tree.id, at);
  const position = target === null ? await positionIn(context, tree, skeleton) : endOfStep(skeleton, target);
  if (position !== null && outline.indexOf(position) === undefined) noteArchivedPosition(context, position);
  if (context.json) {
    await context.printJson({ tree, position, nodes: skeleton });
    return { tree, lines: [], overview: async () => [] };
  }
  if (tree.archived_at_ms !== null) context.note('This conversation is archived.');
  await noteForks(context, tree);
  const marks = await readMarks(client, tree);
  const look = await context.look([...previews(outline), ...[...marks.values()].flat()]);
  const remarks =
    input.flag('files') && position !== null ? await fileRemarks(context, tree, { outline, position }) : NONE;
  const drawing = { outline, position, nested: input.flag('nested'), ids: input.flag('ids'), marks, remarks };
  return {
    tree,
    lines: treeLines(drawing, look),
    overview: async () => overviewLines({ outline, position, marks, prices: await readPrices(client, tree) }, look),
  };
}

/** Says what the tree was forked from, and what was forked from it. */
async function noteForks(context: Context, tree: Tree): Promise<void> {
  const origin = await originWords(context, tree);
  if (origin !== null) context.note(origin);
  const client = await context.client();
  const { trees, cursor } = await client.call('loom.tree_list', { forked_from: tree.id, limit: FORKS_TOLD });
  if (trees.length === 0) return;
  const names = trees.map((fork) => `${shortId(fork.id)} at ${shortId(fork.forked_from?.node ?? '')}`);
  context.note(`Forked from it: ${names.join(', ')}${cursor === null ? '' : ' and more'}.`);
}

const NONE: ReadonlyMap<string, string> = new Map();
const COUNTED_AT_ONCE = 200;

/** How many files differ at nodes from those at the position; said where that is not what it is above. */
async function fileRemarks(
  context: Context,
  tree: Tree,
  { outline, position }: { outline: Outline; position: NodeId },
): Promise<ReadonlyMap<string, string>> {
  const client = await context.client();
  const project = workFolder(tree, context.project);
  const counts = new Map<string, number | null>();
  for (let from = 0; from < outline.nodes.length; from += COUNTED_AT_ONCE) {
    const nodes = outline.nodes.slice(from, from + COUNTED_AT_ONCE).map(({ id }) => id);
    const found = await client.call('files.count', { project, tree: tree.id, node: position, nodes });
    for (const [at, id] of nodes.entries()) counts.set(id, found.counts[at] ?? null);
  }
  const said = outline.nodes.flatMap(({ id, parent }): [string, string][] => {
    const differing = counts.get(id) ?? 0;
    const above = parent === null ? 0 : (counts.get(parent) ?? 0);
    return differing === above
      ? []
      : [[id, differing === 0 ? ' (files as here)' : ` (${count(differing, 'path')} differ)`]];
  });
  return new Map(said);
}

async function readMarks(client: Client, { id }: Tree): Promise<Map<NodeId, string[]>> {
  const marks = new Map<NodeId, string[]>();
  for await (const { node, name } of client.pages('loom.mark_list', { tree: id, limit: PAGE_MAX }, 'marks')) {
    marks.set(node, [...(marks.get(node) ?? []), name]);
  }
  return marks;
}

/** What the requests of a tree cost, by the node of their answer. */
async function readPrices(client: Client, { id }: Tree): Promise<Map<NodeId, number | null>> {
  const prices = new Map<NodeId, number | null>();
  for await (const request of client.pages('loom.request_list', { tree: id, limit: PAGE_MAX }, 'requests')) {
    const { node, price_microdollars: price } = request;
    if (node !== null) prices.set(node, price === null ? (prices.get(node) ?? null) : price + (prices.get(node) ?? 0));
  }
  return prices;
}

/** The position: the saved one, else the only leaf; null when there are several. */
async function positionIn(context: Context, tree: Tree, skeleton: readonly SkeletonNode[]): Promise<NodeId | null> {
  const position = context.session.read().trees[tree.id];
  const saved = position?.node;
  if (position?.following !== undefined) {
    const along = await knownPosition(context, tree);
    // The turn may have added nodes since they were read.
    if (along !== null && skeleton.some(({ id }) => id === along)) return along;
  }
  if (saved !== undefined) {
    // In an archived branch it is still the position of the next message.
    if (!skeleton.some(({ id }) => id === saved)) return knownPosition(context, tree);
    return endOfStep(skeleton, saved);
  }
  const [leaf, other] = leavesOf(skeleton);
  return leaf !== undefined && other === undefined ? leaf.id : null;
}

function endOfStep(skeleton: readonly SkeletonNode[], id: NodeId): NodeId {
  const step = skeleton.find((node) => node.id === id)?.step;
  if (step === null || step === undefined) return id;
  return skeleton.find((node) => node.step?.id === step.id && node.step.index === step.size - 1)?.id ?? id;
}

function* previews(outline: Outline): Generator<string> {
  for (const node of outline.nodes) {
    yield node.preview;
    if (node.tool !== null) yield node.tool;
  }
}
