import type { Tree } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { formatAge } from '../text/age.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut, pad } from '../text/cut.js';
import { count, shortId } from '../text/ids_and_counts.js';

// With fewer columns a tree takes two lines instead of one.
const ONE_LINE_COLUMNS_MIN = 64;
const NAME_COLUMNS_MAX = 48;
const NAME_COLUMNS_MIN = 10;
// The sign, the short id and the gaps.
const OTHER_COLUMNS = 15;

/** A tree, and the folder that it works in where that is another one than the person is in. */
export interface ListedTree {
  tree: Tree;
  folder: string | null;
}

/** Lists trees below the folders that they work in: `*` at the current one, short id, name or first words, messages, branches, age. */
export function renderList(listed: readonly ListedTree[], current: string | null, look: Look): string {
  const lines = treeLines(
    listed.map(({ tree }) => tree),
    current,
    look,
  );
  return listed
    .map(({ folder }, row) => {
      const isFirst = folder !== null && folder !== listed[row - 1]?.folder;
      return (isFirst ? `${look.style.quiet(cut(`${folder}:`, look.width - 1, look))}\n` : '') + lines[row];
    })
    .join('');
}

function treeLines(trees: readonly Tree[], current: string | null, look: Look): string[] {
  const sign = (tree: Tree): string => (tree.id === current ? '*' : ' ');
  const hasForks = trees.some(({ forked_from: origin }) => origin !== null);
  const facts = trees.map((tree) => [
    count(tree.message_count, 'message'),
    count(tree.branch_count, 'branch'),
    formatAge(tree.updated_at_ms, look.nowMs),
    ...(hasForks ? [forkWords(tree)] : []),
  ]);
  if (look.width < ONE_LINE_COLUMNS_MIN) {
    return trees.map((tree, row) => twoLines(`${sign(tree)} `, tree, { facts: facts[row] ?? [], look }));
  }
  const tails = columns(facts, look);
  const tailWidth = widest(tails, look.ruler);
  const room = nameRoom(look.width - tailWidth - OTHER_COLUMNS);
  const names = trees.map((tree) => cut(treeWords(tree), room, look));
  const nameWidth = widest(names, look.ruler);
  return trees.map((tree, row) => {
    const name = pad(names[row] ?? '', nameWidth, look.ruler);
    const start = look.style.here(sign(tree));
    return `${start} ${look.style.strong(shortId(tree.id))}  ${name}  ${look.style.quiet(tails[row] ?? '')}\n`;
  });
}

function forkWords({ forked_from: origin }: Tree): string {
  return origin === null ? '' : `fork of ${shortId(origin.tree)}`;
}

/** A program that reads the list gets names whole. */
function nameRoom(columnsLeft: number): number {
  if (columnsLeft === Number.POSITIVE_INFINITY) return columnsLeft;
  return Math.max(NAME_COLUMNS_MIN, Math.min(NAME_COLUMNS_MAX, columnsLeft));
}

function twoLines(start: string, tree: Tree, { facts, look }: { facts: readonly string[]; look: Look }): string {
  const name = cut(treeWords(tree), look.width - 11, look);
  const fact = cut(facts.filter((fact) => fact !== '').join(', '), look.width - 2, look);
  return `${look.style.here(start)}${look.style.strong(shortId(tree.id))} ${name}\n  ${look.style.quiet(fact)}\n`;
}

/** What a person knows a tree by: its name, else its first words, else how much there is without any. */
export function treeWords({ name, title, node_count = 1 }: Words): string {
  const silent = node_count > 1 ? `(${count(node_count - 1, 'node')}, no message yet)` : '(empty)';
  return cleanLine(name ?? title) || silent;
}

type Words = { name: string | null; title: string; node_count?: number };
