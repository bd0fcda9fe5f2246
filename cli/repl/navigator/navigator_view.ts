import type { NavigatorRow, NavigatorSide, NavigatorView } from '../../render/screens/navigator_page.js';
import { count, formatNumber } from '../../render/text/ids_and_counts.js';
import { foundWords } from '../../render/tree/search_hits.js';
import { branchingOf } from './listed_nodes.js';
import { FILTER_WORDS, type Navigation } from './navigator_state.js';
import type { Contents } from './node_lines.js';
import { NONE } from './tree_shape.js';

/** The innermost levels whose bars are drawn. */
const LEVELS_MAX = 40;
const TYPING_LABELS = { search: '/', mark: 'Name of the mark: ' } as const;

/** What the screen shows, apart from the state. */
export interface Shown {
  contents: Contents;
  title: string;
  hasPreview: boolean;
  /** How many nodes have been read, while the tree is. */
  nodesRead: number;
  /** Rows that the list has. */
  height: number;
}

/** What is drawn of a state: the rows that are seen, and what has been fetched of them. */
export function viewOf(state: Navigation, { contents, title, hasPreview, nodesRead, height }: Shown): NavigatorView {
  const { grown, early, filter, typing, found, word, help } = state;
  const listing = filter === 'all' ? '' : `, shown: ${FILTER_WORDS[filter]}`;
  const size =
    early === null
      ? count(grown.count(), 'node')
      : `reading, ${formatNumber(nodesRead)} of ${count(early.nodeCount, 'node')}`;
  return {
    ...{ title, word, help },
    remark: `${size}${listing}`,
    rows: rowsSeen(state, contents, height),
    hits: found === null ? null : { list: found.hits, selected: found.selected, query: found.query },
    sides: sidesOf(state, contents, height),
    preview: hasPreview ? (previewOf(state, contents) ?? []) : null,
    typing: typing === null ? null : { label: TYPING_LABELS[typing.what], text: typing.text },
  };
}

/** What the chosen node says; while hits are listed, what stands around the words in the chosen one. */
function previewOf({ grown, found, selected }: Navigation, contents: Contents): readonly string[] | null {
  if (found === null) return selected === NONE ? null : contents.preview(grown.seqOf(selected));
  const hit = found.hits[found.selected];
  return hit === undefined ? null : contents.around(hit.node, foundWords(hit));
}

/** The numbers of the nodes that are seen. */
export function seqsSeen(state: Navigation, height: number): number[] {
  return indexesSeen(state, height).map((index) => state.grown.seqOf(index));
}

function indexesSeen({ rows, top }: Navigation, height: number): number[] {
  return [...rows.subarray(top, top + height)];
}

function rowsSeen(state: Navigation, contents: Contents, height: number): NavigatorRow[] {
  const { grown, marks, position, selected, folded } = state;
  const seen = indexesSeen(state, height);
  const lines = contents.lines(seqsSeen(state, height));
  return seen.map((index, at) => ({
    node: lines[at] ?? null,
    branching: branchingOf(grown, index, LEVELS_MAX),
    folded: folded.has(index) || grown.isArchived(index) ? behind(state, index) : null,
    atMs: grown.atMs(index),
    isChosen: index === selected,
    isHere: index === position,
    isArchived: grown.isArchived(index),
    marks: marks.get(grown.seqOf(index)) ?? [],
  }));
}

/** What stands behind a row; while the tree is read, only that something does. */
function behind({ grown, early }: Navigation, index: number): NavigatorRow['folded'] {
  const nodes = grown.sizeOf(index) - 1;
  if (nodes === 0) return null;
  return early === null ? { nodes, newestMs: grown.newestMs(index) } : { nodes: null, newestMs: null };
}

function sidesOf({ grown, apart }: Navigation, contents: Contents, height: number): NavigatorSide[] | null {
  if (apart === null) return null;
  const side = (title: string, indexes: readonly number[]): NavigatorSide => ({
    title,
    total: indexes.length,
    first: contents.lines(indexes.slice(0, height).map((index) => grown.seqOf(index))),
  });
  return [side('Only where you stand', apart.left), side('Only there', apart.right)];
}
