import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId, Tree, TreeId } from '../../hub/protocol/node.js';
import { sharedLength } from '../../loom/tree.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { writePatch } from '../output/write_patch.js';
import { withLongerPreviews } from '../position/longer_previews.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { findTree } from '../position/reference.js';
import { laneTips } from '../race/board.js';
import { isSilent, nodeText, titledOf } from '../render/node/node_text.js';
import { type BranchWork, type ComparedNode, renderComparison } from '../render/tree/compare.js';
import { pathOf } from '../reports/resolved_path.js';
import { PATCH_FLAG } from './files/files_diff.js';

const LANE_NUMBER = /^[1-9]\d?$/;

export const compareCommand = command({
  name: 'compare',
  summary: 'Compare two branches: what they share, then what each has alone: nodes, files, what it cost.',
  details:
    'Files are compared where they were recorded: those of each branch with those of the common ancestor. Two answers to the same message are compared word by word.',
  arguments: [
    TREE,
    { name: 'a', required: true, description: `${NODE_WORDS}, or the number of a lane`, completes: 'node' },
    { name: 'b', required: true, description: 'the same', completes: 'node' },
  ],
  flags: [
    { ...PATCH_FLAG, description: 'write only how the files of the first become those of the second, for `git apply`' },
  ],
  paged: true,
  examples: [
    { line: 'cognition compare @ 5e6f7a8b 9c0d1e2f', does: 'tells the two branches that end there apart' },
    { line: 'cognition compare @ 1 2', does: 'the first two lanes of the newest race' },
    { line: 'cognition compare @ 5e6f7a8b 9c0d1e2f --patch', does: 'shows line by line how their files differ' },
  ],
  async run(input, context) {
    const tree = await findTree(context, input.required('tree'), 'read');
    const a = await placeNamed(context, tree, input.required('a'));
    const b = await placeNamed(context, tree, input.required('b'));
    const client = await context.client();
    const project = workFolder(tree, context.project);
    if (input.flag('patch')) {
      const params = { project, tree: tree.id, node: a, other: b, detail: 'patch' as const };
      await writePatch(context, (await client.call('files.diff', params)).patch ?? '');
      return EXIT.ok;
    }
    const [pathA, pathB] = [await comparedNodes(client, a), await comparedNodes(client, b)];
    const shared = sharedLength(pathA, pathB);
    const ancestor = pathA[shared - 1];
    if (ancestor === undefined) throw new RangeError('two paths of one tree begin at its root');
    const aloneA = pathA.slice(shared);
    const aloneB = pathB.slice(shared);
    const place = { project, tree: tree.id, ancestor: ancestor.id };
    const [workA, workB] = [await workOf(client, place, aloneA), await workOf(client, place, aloneB)];
    if (context.json) {
      await context.printJson({ ancestor, a: aloneA, b: aloneB, work: { a: workA, b: workB } });
      return EXIT.ok;
    }
    // The first nodes of the two sides are what was said differently.
    const heads = await withLongerPreviews(
      client,
      [aloneA[0], aloneB[0]].flatMap((head) => (head === undefined ? [] : { ...head, parent: ancestor.id })),
    );
    const look = await context.look([ancestor, ...aloneA, ...aloneB].map(({ preview }) => preview));
    const longer = (alone: ComparedNode[]): ComparedNode[] =>
      alone.map((node) => heads.find(({ id }) => id === node.id) ?? node);
    const comparison = {
      ancestor,
      a: { id: a, alone: longer(aloneA), ...workA },
      b: { id: b, alone: longer(aloneB), ...workB },
      answers: await answersTo(client, ancestor, { a: aloneA, b: aloneB }),
    };
    await context.out.write(renderComparison(comparison, look));
    return EXIT.ok;
  },
});

/** A node, or the end of a lane of the newest race by its number; a mark goes before. */
async function placeNamed(context: Context, tree: Tree, name: string): Promise<NodeId> {
  const tip = LANE_NUMBER.test(name) ? await laneTip(context, tree, name) : undefined;
  return tip ?? positionOf(context, tree, name);
}

async function laneTip(context: Context, { id }: Tree, number: string): Promise<NodeId | undefined> {
  const client = await context.client();
  const { matches } = await client.call('loom.node_find', { tree: id, ref: number });
  return matches.length > 0 ? undefined : (await laneTips(client, id))[Number(number) - 1];
}

interface ComparedPlace {
  project: string;
  tree: TreeId;
  ancestor: NodeId;
}

/** What a branch has done since the ancestor: its files, where they are recorded, its requests and its last command. */
async function workOf(
  client: Client,
  { project, tree, ancestor }: ComparedPlace,
  alone: readonly ComparedNode[],
): Promise<BranchWork> {
  const [first, last] = [alone[0], alone.at(-1)];
  const node = last?.id ?? ancestor;
  const params = { project, tree, node: ancestor, other: node, detail: 'lines' as const };
  const { below } = await client.call('loom.cost_get', { node, since: ancestor });
  const files = await client.call('files.diff', params).catch((error: unknown) => {
    if (error instanceof HubError && (error.kind === 'not_found' || error.kind === 'limit')) return null;
    throw error;
  });
  const command = alone.findLast(({ tool }) => tool === 'bash');
  return {
    ...{ cost: below?.cost ?? null, files },
    seconds: Math.round(((last?.created_at_ms ?? 0) - (first?.created_at_ms ?? 0)) / 1_000),
    check: command === undefined ? null : { command: command.preview, exitCode: command.exit_code },
  };
}

/** The last words of both sides, where they answer the same message. */
async function answersTo(
  client: Client,
  { role }: ComparedNode,
  sides: { a: readonly ComparedNode[]; b: readonly ComparedNode[] },
): Promise<{ a: string; b: string } | null> {
  if (role !== 'user') return null;
  const [a, b] = [answerIn(sides.a), answerIn(sides.b)];
  if (a === undefined || b === undefined) return null;
  const [first, second] = await Promise.all([a, b].map(({ id }) => client.call('loom.node_get', { node: id })));
  return first === undefined || second === undefined ? null : { a: nodeText(first.node), b: nodeText(second.node) };
}

/** The last answer before the person says something else. */
function answerIn(nodes: readonly ComparedNode[]): ComparedNode | undefined {
  const next = nodes.findIndex(({ role }) => role === 'user');
  return nodes.slice(0, next < 0 ? nodes.length : next).findLast(({ role }) => role === 'assistant');
}

/** The fields that one line per node needs; the texts are dropped while reading. */
async function comparedNodes(client: Client, node: NodeId): Promise<ComparedNode[]> {
  const nodes: ComparedNode[] = [];
  for await (const one of pathOf(client, node)) {
    if (!isSilent(one)) nodes.push({ id: one.id, created_at_ms: one.created_at_ms, ...titledOf(one) });
  }
  return nodes;
}
