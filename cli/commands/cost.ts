import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Tree } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, type Input, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { momentFrom } from '../input/moment.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { renderCosts } from '../render/reports/cost_table.js';
import { type CostParts, type CostScope, costLines, readCosts } from '../reports/read_costs.js';

const PARTS = ['day', 'turn', 'model', 'tree'] as const satisfies readonly CostParts[];

export const costCommand = command({
  name: 'cost',
  summary: 'Sum what was asked of models: requests, tokens and prices.',
  details:
    'Of a conversation, and of the branch that you are on: what was newly spent below the nearest fork stands apart from what other branches share. With a node, of the path to it. What its sub-sessions spent stands apart, too. A request counts once, however many branches come after it. Prices are those of an offline table; a price that is not known is called unknown and is in no sum.',
  arguments: [
    { ...CURRENT_TREE, description: `${CURRENT_TREE.description}, or all when there is none` },
    { name: 'node', required: false, description: `only the path to it: ${NODE_WORDS}`, completes: 'node' },
  ],
  flags: [{ name: 'all', short: null, description: 'of all conversations' }],
  values: [
    { name: 'by', value: 'part', choices: PARTS, description: 'what to sum apart; `tree` is of all conversations' },
    { name: 'since', value: 'time', choices: null, description: 'only from then on: today, 2026-01-31, 12h, 7d, 2w' },
  ],
  examples: [
    { line: 'cognition cost', does: 'sums what the current conversation and its branch cost' },
    { line: 'cognition cost --all --by day --since 7d', does: 'sums the last week, day by day' },
    { line: 'cognition cost @ @ --by model', does: 'sums the branch that you are on by its models' },
  ],
  async run(input, context) {
    const by = PARTS.find((part) => part === input.value('by')) ?? null;
    const since = input.value('since');
    const from_ms = since === undefined ? null : momentFrom('since', since, Date.now());
    const scope = { ...(await scopeFrom(input, context, by)), from_ms, by };
    const costs = await readCosts(context, scope);
    if (context.json) {
      await context.printJson({ tree: scope.tree?.id ?? null, ...costs });
      return EXIT.ok;
    }
    if (costs.total.requests === 0 && costs.owned === null) {
      await context.out.write(`${nothing(scope)}\n`);
      return EXIT.ok;
    }
    const lines = await costLines(context, scope, costs);
    const look = await context.look(lines.map(({ label }) => label));
    await context.out.write(renderCosts({ lines, total: costs.total }, look));
    return EXIT.ok;
  },
});

type CostInput = Input<'tree' | 'node', 'all', 'by' | 'since'>;

async function scopeFrom(
  input: CostInput,
  context: Context,
  by: CostParts | null,
): Promise<Pick<CostScope, 'tree' | 'node'>> {
  const [named, node] = [input.argument('tree'), input.argument('node')];
  const isAll = input.flag('all') || by === 'tree';
  if (isAll && named !== undefined) {
    const word = input.flag('all') ? '--all' : '--by tree';
    throw new HubError('invalid_params', `${word} is of all conversations, and one was named`, {
      hint: `leave ${JSON.stringify(named)} out, or leave ${word} out`,
    });
  }
  const tree = isAll ? null : await treeFrom(context, named);
  if (tree === null && by === 'turn') {
    throw new HubError('invalid_params', '--by turn needs one conversation', {
      hint: [cliCommand('cost', '<tree>', '--by', 'turn')],
    });
  }
  return { tree, node: tree === null || node === undefined ? null : await positionOf(context, tree, node) };
}

/** The named tree, else the current one; null when there is none. */
async function treeFrom(context: Context, named: string | undefined): Promise<Tree | null> {
  if (named === undefined && context.session.read().current === null) return null;
  return findTree(context, named ?? '@', 'read');
}

function nothing({ tree, node, from_ms }: CostScope): string {
  const inTree = tree === null ? '' : ' in this conversation';
  const where = node === null ? inTree : ' on the way to this node';
  return `Nothing has been asked of a model${where}${from_ms === null ? ' yet' : ' since then'}.`;
}
