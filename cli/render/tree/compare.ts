import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import type { Titled } from '../node/node_text.js';
import { type CostSum, costWords } from '../reports/cost_table.js';
import { changeLines } from '../reports/file_changes.js';
import { cleanLine } from '../text/clean.js';
import { differing } from '../text/differing_words.js';
import { count, shortId } from '../text/ids_and_counts.js';

const INDENT = 2;

export interface ComparedNode extends Titled {
  id: NodeId;
}

/** What a branch has done since the ancestor; null for what is not known. */
export interface BranchWork {
  files: ResultOf<'files.diff'> | null;
  cost: CostSum | null;
}

interface Branch extends BranchWork {
  id: string;
  alone: readonly ComparedNode[];
}

export interface Comparison {
  ancestor: ComparedNode;
  a: Branch;
  b: Branch;
}

/** Tells what two branches share and what each has alone. */
export function renderComparison({ ancestor, a, b }: Comparison, look: Look): string {
  const lines = [`Common ancestor: ${nodeLine(ancestor, 'Common ancestor: '.length, look)}`];
  const heads = headsApart([a.alone[0], b.alone[0]], look);
  for (const side of [a, b]) {
    const { id, alone } = side;
    lines.push('', look.style.strong(`Only in ${shortId(id)}: ${count(alone.length, 'node')}`));
    for (const node of alone)
      lines.push(`  ${nodeLine(heads.find((head) => head.id === node.id) ?? node, INDENT, look)}`);
    lines.push(...workLines(side).map((line) => `  ${line}`));
  }
  return `${lines.join('\n')}\n`;
}

function workLines({ files, cost }: BranchWork): string[] {
  const changed = files === null || files.changed === 0 ? [] : changeLines(files).trimEnd().split('\n');
  return [...changed, ...(cost === null || cost.requests === 0 ? [] : [costWords(cost)])];
}

/** The first nodes of both sides; where they begin alike from the word in which they differ. */
function headsApart(heads: readonly (ComparedNode | undefined)[], look: Look): ComparedNode[] {
  const nodes = heads.filter((head) => head !== undefined);
  const visible = (preview: string, at: number): string => {
    const node = nodes[at];
    return node === undefined ? '' : labelOf({ ...node, preview }, roomOf(node, INDENT, look), look);
  };
  const previews = nodes.map(({ preview }) => cleanLine(preview));
  const apart = differing(previews, visible, look);
  return nodes.map((node, at) => ({ ...node, preview: apart[at] ?? node.preview }));
}

function roomOf(node: ComparedNode, indent: number, look: Look): number {
  return look.width - indent - shortId(node.id).length - 1 - exitTail(node).length;
}

function nodeLine(node: ComparedNode, indent: number, look: Look): string {
  const tail = exitTail(node);
  const label = labelOf(node, roomOf(node, indent, look), look);
  return `${look.style.quiet(shortId(node.id))} ${inkOf(node.role, look)(label)}${look.style.quiet(tail)}`;
}
