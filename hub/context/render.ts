import { shortened } from '../base/head_and_tail.js';
import { type InternalCaller, pathPages } from '../base/internal_call.js';
import { blocksOfType, readableText } from '../base/node_blocks.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Node } from '../protocol/node.js';
import { callLabel } from './call_label.js';
import { type Budget, bytesPerNode, type PathPlan, planPath } from './path_budget.js';
import { type Resolution, resolveNode } from './resolve_handle.js';

/** Handles that are resolved at the same time. */
const AT_ONCE = 8;
/** Bytes reserved for the line between head and tail. */
const EXCERPT_MARK_BYTES = 60;

type ExternalNode = Extract<Node, { kind: 'external' }>;
type Counts = Pick<ResultOf<'context.render'>, 'placeholders' | 'excerpts'>;

/** Renders the path to a node for a reader, the middle of it left out when it is longer than the budget. */
export async function renderPath(reach: InternalCaller, budget: Budget): Promise<ResultOf<'context.render'>> {
  const plan = await planPath(reach, budget);
  const counts: Counts = { placeholders: 0, excerpts: 0 };
  const entries: string[] = [];
  let bytes = 0;
  for await (const some of chosenNodes(reach, budget, plan)) {
    // Fresh content may have any size.
    const left = Math.floor(Math.max(0, budget.totalBytesMax - bytes) / (budget.fresh ? some.length : 1));
    const rendered = await Promise.all(some.map((node) => renderNode({ reach, budget, plan, counts, left }, node)));
    for (const [at, entry] of rendered.entries()) {
      if (plan.tailStart > plan.headEnd && some[at]?.depth === plan.tailStart) {
        entries.push(`[… ${plan.tailStart - plan.headEnd} nodes left out …]`);
      }
      if (entry !== '') entries.push(entry);
      bytes += Buffer.byteLength(entry);
    }
  }
  const text = entries.length === 0 ? '' : `${entries.join('\n\n')}\n`;
  return { text, nodes: plan.nodes, handles: plan.handles, ...counts };
}

/** The nodes to render, in groups that may be resolved at the same time. */
async function* chosenNodes(reach: InternalCaller, { node }: Budget, plan: PathPlan): AsyncGenerator<Node[]> {
  const isChosen = ({ depth }: Node): boolean => depth < plan.headEnd || depth >= plan.tailStart;
  for (const [at, page] of plan.pages.entries()) {
    const end = plan.pages[at + 1]?.depth ?? Number.POSITIVE_INFINITY;
    if (page.depth >= plan.headEnd && end <= plan.tailStart) continue;
    const first = await pathPages(reach, node, page.cursor).next();
    const nodes = (first.done === true ? [] : first.value.nodes).filter(isChosen);
    for (let from = 0; from < nodes.length; from += AT_ONCE) yield nodes.slice(from, from + AT_ONCE);
  }
}

interface Rendering {
  reach: InternalCaller;
  budget: Budget;
  plan: PathPlan;
  counts: Counts;
  /** Unused bytes of the budget. */
  left: number;
}

async function renderNode(rendering: Rendering, node: Node): Promise<string> {
  if (node.role === 'root') return '';
  const sent = node.depth >= rendering.plan.sentDepth ? '' : ' (not sent: before a summary)';
  if (node.kind === 'external') return renderHandle(rendering, node, sent);
  const { text, leftOutBytes } = shortened(saidIn(node), bytesPerNode(rendering.budget).text);
  if (text === '') return '';
  const rest = leftOutBytes === 0 ? '' : `\n(an excerpt; all of it: cognition context @ ${shortId(node)} --full)`;
  return `${SPEAKERS[node.role]}${sent}: ${text.trimEnd()}${rest}`;
}

async function renderHandle({ reach, budget, counts, left }: Rendering, node: ExternalNode, sent: string) {
  const label = `${callLabel(node.external.call)}${endOf(node)}${sent}`;
  const bytesMax = Math.min(bytesPerNode(budget).handle, left);
  if (bytesMax === 0) {
    counts.excerpts += 1;
    return `${label}\n(left out, there is no room for more: cognition output ${shortId(node)})`;
  }
  const resolved = await resolveNode(reach, node, { fresh: budget.fresh, others: budget.others, bytesMax });
  if (resolved.placeholder !== null) counts.placeholders += 1;
  else if (resolved.left_out_bytes > 0) counts.excerpts += 1;
  // A plugin may return more than the limit.
  const { text } = shortened(resolved.text, bytesMax + EXCERPT_MARK_BYTES);
  return [label, ...remarksBefore(resolved), text.trimEnd(), ...remarksAfter(resolved, node)]
    .filter((line) => line !== '')
    .join('\n');
}

function remarksBefore({ placeholder, changed }: Resolution): string[] {
  return [
    ...(placeholder === null ? [] : [`(not resolved: ${placeholder})`]),
    ...(changed === null ? [] : [`(changed since then: ${changed})`]),
  ];
}

function remarksAfter({ left_out_bytes, total_bytes }: Resolution, node: ExternalNode): string[] {
  if (left_out_bytes === 0) return [];
  return [`(${left_out_bytes} of ${total_bytes} bytes are left out; all of it: cognition output ${shortId(node)})`];
}

const SPEAKERS = { root: '', user: 'User', assistant: 'Assistant', summary: 'Summary' } as const;

/** The text of a node for a reader, without thinking and without calls whose results follow. */
function saidIn(node: Node): string {
  const isAlone = node.step === null || node.step.size === 1;
  const calls = isAlone ? blocksOfType(node.blocks, 'call') : [];
  return [readableText(node.blocks), ...calls.map((call) => `${callLabel(call)} (not run)`)]
    .filter((text) => text !== '')
    .join('\n');
}

function endOf({ external: { exit_code, signal } }: ExternalNode): string {
  if (signal !== null) return ` ${signal}`;
  return exit_code === null || exit_code === 0 ? '' : ` exit ${exit_code}`;
}

function shortId({ id }: Node): string {
  return id.slice(0, 8);
}
