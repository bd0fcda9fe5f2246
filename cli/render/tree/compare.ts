import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import type { Titled } from '../node/node_text.js';
import { type CostSum, costWords } from '../reports/cost_table.js';
import { changeLines } from '../reports/file_changes.js';
import { clean, cleanLine } from '../text/clean.js';
import { differing } from '../text/differing_words.js';
import { count, shortId } from '../text/ids_and_counts.js';
import { type WordStretch, wordDifference } from '../text/word_difference.js';

const INDENT = 2;

export interface ComparedNode extends Titled {
  id: NodeId;
  created_at_ms: number;
}

/** What a branch has done since the ancestor; null for what is not known. */
export interface BranchWork {
  files: ResultOf<'files.diff'> | null;
  cost: CostSum | null;
  /** From the first node to the last. */
  seconds: number;
  /** The last command, and how it has ended; null for none. */
  check: { command: string; exitCode: number | null } | null;
}

interface ComparedBranch extends BranchWork {
  id: string;
  alone: readonly ComparedNode[];
}

export interface Comparison {
  ancestor: ComparedNode;
  a: ComparedBranch;
  b: ComparedBranch;
  /** What both have answered last to the same question; null where they have not. */
  answers: { a: string; b: string } | null;
}

/** Tells what two branches share and what each has alone. */
export function renderComparison({ ancestor, a, b, answers }: Comparison, look: Look): string {
  const lines = [`Common ancestor: ${nodeLine(ancestor, 'Common ancestor: '.length, look)}`];
  const heads = headsApart([a.alone[0], b.alone[0]], look);
  for (const side of [a, b]) {
    const { id, alone } = side;
    lines.push('', look.style.strong(`Only in ${shortId(id)}: ${count(alone.length, 'node')}`));
    for (const node of alone)
      lines.push(`  ${nodeLine(heads.find((head) => head.id === node.id) ?? node, INDENT, look)}`);
    lines.push(...workLines(side).map((line) => `  ${line}`));
  }
  const apart = answers === null ? [] : answerLines(answers, look);
  return `${[...lines, ...apart].join('\n')}\n`;
}

function workLines({ files, cost, seconds, check }: BranchWork): string[] {
  const changed = files === null || files.changed === 0 ? [] : changeLines(files).trimEnd().split('\n');
  const checked =
    check === null ? [] : [`last command: ${cleanLine(check.command)}, exit ${check.exitCode ?? 'by a signal'}`];
  const spent = cost === null || cost.requests === 0 ? [] : [`${costWords(cost)}, ${seconds} s`];
  return [...changed, ...checked, ...spent];
}

/** Of answers that share fewer of their words a difference says nothing. */
const SHARED_LEAST = 0.2;
const SAME_SHOWN = 60;

/** The second answer as it differs from the first: what is gone in [-…-], what has come in {+…+}. */
function answerLines({ a, b }: NonNullable<Comparison['answers']>, look: Look): string[] {
  const stretches = wordDifference(clean(a), clean(b));
  if (stretches === null) return ['', 'Their answers are too long to be compared word by word.'];
  const lengthOf = (kind: WordStretch['kind']): number =>
    stretches.filter((one) => one.kind === kind).reduce((sum, { text }) => sum + text.length, 0);
  const [same, all] = [lengthOf('same'), Math.max(a.length, b.length)];
  if (same === all) return ['', 'Their answers are the same.'];
  if (same < all * SHARED_LEAST) return [];
  const text = stretches.map((one) => stretchText(one, look)).join('');
  return [
    '',
    look.style.strong('Their answers, word by word:'),
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
  ];
}

function stretchText({ kind, text }: WordStretch, { style, glyphs }: Look): string {
  const words = text.trimEnd();
  const blank = text.slice(words.length);
  if (kind === 'removed') return style.failure(`[-${words}-]`) + blank;
  if (kind === 'added') return style.strong(`{+${words}+}`) + blank;
  if (text.length <= 3 * SAME_SHOWN) return text;
  return `${text.slice(0, SAME_SHOWN)} ${glyphs.ellipsis} ${text.slice(-SAME_SHOWN)}`;
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
