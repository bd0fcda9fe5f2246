import type { NavigatorRow, NavigatorSide, NavigatorView } from '../../render/screens/navigator_page.js';
import { count, formatNumber } from '../../render/text/ids_and_counts.js';
import { foundWords } from '../../render/tree/search_hits.js';
import { NONE } from '../../web/page/core/node_table.js';
import { questionRow } from '../editor/keys/confirmation.js';
import type { FileCounts } from './file_counts.js';
import { branchingOf } from './listed_nodes.js';
import { FILTER_WORDS, type Navigation } from './navigator_state.js';
import type { Contents } from './node_texts.js';

/** The innermost levels whose bars are drawn. */
const LEVELS_MAX = 40;
const TYPING_LABELS = { search: '/', mark: 'Name of the mark: ' } as const;

/** What is drawn beside the state. */
export interface NavigatorScreen {
  contents: Contents;
  /** Null where no files are counted. */
  counts: FileCounts | null;
  title: string;
  hasPreview: boolean;
  /** How many nodes have been read so far, while the tree is being read. */
  nodesRead: number;
  /** The rows of the list. */
  height: number;
}

/** What is drawn of a state: the visible rows, and what has been fetched of them. */
export function viewOf(state: Navigation, screen: NavigatorScreen): NavigatorView {
  const { contents, title, hasPreview, nodesRead, height } = screen;
  const { shape, partial, filter, typing, results, asking, help } = state;
  const filterNote = filter === 'all' ? '' : `, shown: ${FILTER_WORDS[filter]}`;
  const size =
    partial === null
      ? count(shape.count(), 'node')
      : `reading, ${formatNumber(nodesRead)} of ${count(partial.nodeCount, 'node')}`;
  return {
    ...{ title, help },
    message: asking === null ? state.message : questionRow(asking),
    remark: `${size}${filterNote}`,
    rows: visibleRows(state, screen),
    hits: results === null ? null : { list: results.hits, selected: results.selected, query: results.query },
    sides: sidesOf(state, contents, height),
    preview: hasPreview ? (previewOf(state, contents) ?? []) : null,
    typing: typing === null ? null : { label: TYPING_LABELS[typing.purpose], text: typing.text },
  };
}

/** The text of the selected node; while hits are listed, the text around the match in the selected one. */
function previewOf({ shape, results, selected }: Navigation, contents: Contents): readonly string[] | null {
  if (results === null) return selected === NONE ? null : contents.preview(shape.seqOf(selected));
  const hit = results.hits[results.selected];
  return hit === undefined ? null : contents.around(hit.node, foundWords(hit));
}

/** The `seq` of the visible nodes. */
export function visibleSeqs(state: Navigation, height: number): number[] {
  return visibleIndexes(state, height).map((index) => state.shape.seqOf(index));
}

function visibleIndexes({ rows, top }: Navigation, height: number): number[] {
  return [...rows.subarray(top, top + height)];
}

function visibleRows(state: Navigation, { contents, counts, height }: NavigatorScreen): NavigatorRow[] {
  const { shape, marks, position, selected, folded, trunk } = state;
  const seen = visibleIndexes(state, height);
  const lines = contents.lines(visibleSeqs(state, height));
  const differing = counts?.of(lines.map((line) => line?.id ?? null)) ?? [];
  return seen.map((index, at) => ({
    node: lines[at] ?? null,
    differing: differing[at] ?? null,
    branching: branchingOf(shape, index, { trunk, levelsMax: LEVELS_MAX }),
    folded: folded.has(index) || shape.isArchived(index) ? hiddenBehind(state, index) : null,
    atMs: shape.atMs(index),
    isSelected: index === selected,
    isPosition: index === position,
    isArchived: shape.isArchived(index),
    marks: marks.get(shape.seqOf(index)) ?? [],
  }));
}

/** How much is folded behind a row; while the tree is being read, only that something is. */
function hiddenBehind({ shape, partial }: Navigation, index: number): NavigatorRow['folded'] {
  const nodes = shape.sizeOf(index) - 1;
  if (nodes === 0) return null;
  return partial === null ? { nodes, newestMs: shape.newestMs(index) } : { nodes: null, newestMs: null };
}

function sidesOf({ shape, comparison }: Navigation, contents: Contents, height: number): NavigatorSide[] | null {
  if (comparison === null) return null;
  const side = (title: string, indexes: readonly number[]): NavigatorSide => ({
    title,
    total: indexes.length,
    first: contents.lines(indexes.slice(0, height).map((index) => shape.seqOf(index))),
  });
  return [side('Only where you stand', comparison.left), side('Only there', comparison.right)];
}
