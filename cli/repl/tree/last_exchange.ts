import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId } from '../../../hub/protocol/node.js';
import { newDisplay, reduce } from '../../display/reduce.js';
import { isSilent } from '../../render/node/node_text.js';
import { type ExcerptLimits, excerptOf } from '../../render/text/cut_middle.js';
import { count } from '../../render/text/ids_and_counts.js';
import type { DisplayEvent } from '../front/front.js';
import { upwards } from './ancestors.js';

/** The end of a branch, as it is shown to who comes there. */
export interface BranchEnd {
  /** The nodes that are shown. */
  shown: NodeId[];
  events: DisplayEvent[];
}

/** In Markdown what is left out stands by itself. */
const PARAGRAPH = '\n\n';
/** The most nodes that are read for one exchange. */
const NODES_MAX = 200;
const SAID: ExcerptLimits = { headLines: 4, tailLines: 2, headLength: 400, tailLength: 160 };
const ANSWERED: ExcerptLimits = { headLines: 5, tailLines: 5, headLength: 500, tailLength: 400 };

/** The last question before a node and what came of it, folded: the calls and remarks between are counted. */
export async function lastExchange(client: Client, position: NodeId): Promise<BranchEnd> {
  const [first, ...others] = await exchangeNodes(client, position);
  if (first === undefined) return { shown: [], events: [] };
  const last = others.pop() ?? null;
  const events = last === null ? [] : [...foldedEvents(others), ...excerptEvents(last, ANSWERED)];
  return {
    shown: last === null ? [first.id] : [first.id, last.id],
    events: [...excerptEvents(first, first.role === 'user' ? SAID : ANSWERED), ...events],
  };
}

/** From the last question down to the node; of a very long exchange its end. */
async function exchangeNodes(client: Client, position: NodeId): Promise<Node[]> {
  const nodes: Node[] = [];
  for await (const node of upwards(client, position)) {
    const isBegun = nodes.at(-1)?.role === 'user' && !isCallOfModel(node);
    if (isBegun || node.role === 'root' || nodes.length >= NODES_MAX) break;
    nodes.push(node);
  }
  return nodes.reverse();
}

/** What stands below one was said to a turn on its way. */
function isCallOfModel({ kind, step }: Node): boolean {
  return kind === 'external' && step !== null;
}

function foldedEvents(nodes: readonly Node[]): DisplayEvent[] {
  const calls = nodes.filter(({ kind }) => kind === 'external').length;
  const remarks = nodes.filter((node) => node.kind === 'text' && !isSilent(node)).length;
  const parts = [calls > 0 ? count(calls, 'call') : '', remarks > 0 ? count(remarks, 'remark') : ''];
  const what = parts.filter((part) => part !== '').join(' and ');
  return what === '' ? [] : [{ kind: 'note', text: `(${what} between: /context)` }];
}

/** The events that display a node, long texts cut in their middle. */
export function excerptEvents(node: Node, size?: ExcerptLimits): DisplayEvent[] {
  const shorten = (text: string, gap: string): string => {
    const { head, leftOut, tail } = excerptOf(text, size);
    return leftOut === null ? text : `${head}${gap}…${gap}${tail}`;
  };
  return reduce(newDisplay(node.parent ?? node.id), { kind: 'node', node, by: 'us' }).changes.map((change) => {
    if (change.kind === 'block_grew') return { ...change, added: shorten(change.added, PARAGRAPH) };
    if (change.kind !== 'block_ended' || (change.block.kind !== 'message' && change.block.kind !== 'summary'))
      return change;
    return { ...change, block: { ...change.block, text: shorten(change.block.text, '\n') } };
  });
}
