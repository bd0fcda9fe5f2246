import type { Client } from '../../hub/client/client.js';
import type { ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { knownPosition } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { readSkeleton } from '../position/skeleton.js';
import type { CostLine, CostSum } from '../render/reports/cost_table.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { treeWords } from '../render/tree/tree_list.js';

type Costs = ResultOf<'loom.cost_get'>;
/** The ways to split a sum. */
export type CostParts = 'day' | 'turn' | 'model' | 'tree';

/** What costs are summed over: all conversations, one tree, or the path to one of its nodes. */
export interface CostScope {
  tree: Tree | null;
  node: NodeId | null;
  /** Only requests that began at or after this time. */
  from_ms: number | null;
  by: CostParts | null;
}

/** Costs, as they are printed and as data. */
export interface CostReport {
  total: CostSum;
  /** Of its sub-sessions, which is no part of the other sums; null where none is asked for. */
  owned: CostSum | null;
  /** The cost of the path to a node, and the part of it below the nearest fork. */
  branch: { node: NodeId; total: CostSum; below: Costs['below'] } | null;
  parts: Costs['parts'];
}

export async function readCosts(context: Context, scope: CostScope): Promise<CostReport> {
  const client = await context.client();
  const when = { from_ms: scope.from_ms };
  const offset = { utc_offset_minutes: -new Date().getTimezoneOffset() };
  const { total, parts } = await client.call('loom.cost_get', {
    ...scopeParams(scope),
    ...when,
    ...offset,
    by: scope.by ?? 'none',
  });
  const owned = await ownedCosts(client, scope);
  const node = scope.node ?? (await positionWithCosts(context, scope, total));
  if (node === null) return { total, owned, parts, branch: null };
  const path = await client.call('loom.cost_get', { node, ...when });
  return { total, owned, parts, branch: { node, total: path.total, below: path.below } };
}

/** What was spent in the trees that a whole conversation owns. */
async function ownedCosts(client: Client, { tree, node, by, from_ms }: CostScope): Promise<CostSum | null> {
  if (tree === null || node !== null || by !== null) return null;
  const { total } = await client.call('loom.cost_get', { owner: tree.id, from_ms });
  return total.requests === 0 ? null : total;
}

function scopeParams({ tree, node }: CostScope): Partial<ParamsOf<'loom.cost_get'>> {
  if (node !== null) return { node };
  return tree === null ? {} : { tree: tree.id };
}

/** The position, when it is known and something was spent on its path. */
async function positionWithCosts(context: Context, { tree, by }: CostScope, total: CostSum): Promise<NodeId | null> {
  return tree === null || by !== null || total.requests === 0 ? null : knownPosition(context, tree);
}

/** The lines of an account: the parts and what they come to, or the conversation and its branch. */
export async function costLines(context: Context, scope: CostScope, costs: CostReport): Promise<CostLine[]> {
  if (scope.by !== null) {
    const name = await partNames(await context.client(), scope);
    const lines = costs.parts.map(({ key, cost }) => ({ label: name(key), cost }));
    return lines.length === 1 ? lines : [...lines, { label: 'together', cost: costs.total }];
  }
  if (scope.tree === null) return [{ label: 'all conversations', cost: costs.total }];
  const whole = scope.node === null ? [{ label: 'this conversation', cost: costs.total }] : [];
  const owned = costs.owned === null ? [] : [{ label: 'its sub-sessions', cost: costs.owned }];
  return [...whole, ...branchLines(costs.branch, scope.tree), ...owned];
}

/** A branch that nothing forks off from is no more than the conversation up to there. */
function branchLines(branch: CostReport['branch'], tree: Tree): CostLine[] {
  if (branch === null) return [];
  const { total, below } = branch;
  const lines = [{ label: `up to ${shortId(branch.node)}`, cost: total }];
  if (below === null || below.since === rootOf(tree.id)) return lines;
  return [
    ...lines,
    { label: `  new below ${shortId(below.since)}`, cost: below.cost },
    { label: '  before that', cost: difference(total, below.cost) },
  ];
}

/** A sum less a part of it. */
export function difference(whole: CostSum, part: CostSum): CostSum {
  return {
    requests: whole.requests - part.requests,
    running: whole.running - part.running,
    failed: whole.failed - part.failed,
    tokens_in: whole.tokens_in - part.tokens_in,
    tokens_out: whole.tokens_out - part.tokens_out,
    tokens_cache_read: whole.tokens_cache_read - part.tokens_cache_read,
    tokens_cache_write_5m: whole.tokens_cache_write_5m - part.tokens_cache_write_5m,
    tokens_cache_write_1h: whole.tokens_cache_write_1h - part.tokens_cache_write_1h,
    price_microdollars: whole.price_microdollars - part.price_microdollars,
    unknown_price: whole.unknown_price - part.unknown_price,
    unknown_usage: whole.unknown_usage - part.unknown_usage,
    estimated: whole.estimated - part.estimated,
  };
}

/** Labels for the parts of a sum. */
async function partNames(client: Client, { tree, by }: CostScope): Promise<(key: string) => string> {
  const names = await (by === 'tree' ? treeNames(client) : turnNames(client, by === 'turn' ? tree : null));
  return (key) => names.get(key) ?? (by === 'turn' || by === 'tree' ? shortId(key) : key);
}

async function treeNames(client: Client): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const archived of [false, true]) {
    for await (const tree of client.pages('loom.tree_list', { archived, limit: 500 }, 'trees')) {
      names.set(tree.id, `${shortId(tree.id)} ${treeWords(tree)}`);
    }
  }
  return names;
}

/** A turn is labelled by the message that it began at. */
async function turnNames(client: Client, tree: Tree | null): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  if (tree === null) return names;
  const nodes = new Map((await readSkeleton(client, tree, true)).map((node) => [node.id, node]));
  for await (const turn of client.pages('loom.turn_list', { tree: tree.id, limit: 1_000 }, 'turns')) {
    names.set(turn.id, `${shortId(turn.node)} ${nodes.get(turn.node)?.preview ?? ''}`);
  }
  return names;
}
