import { formatAge } from './age.js';
import { columns } from './columns.js';
import { cut } from './cut.js';
import { labelOf } from './label.js';
import type { Look } from './look.js';
import type { Titled } from './node_text.js';
import { count, shortId } from './words.js';

/** One of the ways that a conversation went on from a fork. */
export interface Branch {
  /** Its first node. */
  id: string;
  current: boolean;
  /** The node whose words tell it from the others. */
  title: Titled;
  nodes: number;
  newestAtMs: number;
}

const WORDS_COLUMNS_MAX = 60;

/** Lists the branches of a fork, numbered; `all` is how many there are when these are only the first of them. */
export function renderBranches(branches: readonly Branch[], look: Look, all = branches.length): string {
  if (branches.length === 0) return 'Current node has no branches, and there is no fork above it.\n';
  const rows = branches.map((branch, place) => [
    `  ${place + 1}. ${branch.current ? '[current] ' : ''}${look.glyphs.arrow} ${branchWords(branch, look)}`,
    shortId(branch.id),
    count(branch.nodes, 'node'),
    formatAge(branch.newestAtMs, look.nowMs),
  ]);
  const lines =
    look.width < WORDS_COLUMNS_MAX ? rows.map(([words = '', id = '']) => `${words} ${id}`) : columns(rows, look);
  return `Current node has ${count(all, 'branch')}:\n${lines.map((line) => `${cut(line, look.width, look)}\n`).join('')}`;
}

function branchWords({ title }: Branch, look: Look): string {
  const columnsMax = Math.max(4, Math.min(WORDS_COLUMNS_MAX, look.width - 28));
  if (title.role !== 'user') return labelOf(title, columnsMax, look);
  const words = labelOf({ ...title, preview: title.preview }, columnsMax + 4, look).slice('User: '.length);
  return `"${words}"`;
}
