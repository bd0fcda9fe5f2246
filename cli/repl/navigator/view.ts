import type { NavigatorRow, NavigatorSide, NavigatorView } from '../../render/navigator.js';
import { count } from '../../render/words.js';
import type { Contents } from './contents.js';
import { branchingOf } from './rows.js';
import { FILTER_WORDS, type Navigation } from './state.js';

/** The innermost levels whose bars are drawn. */
const LEVELS_MAX = 40;
const TYPING_LABELS = { search: '/', mark: 'Name of the mark: ' } as const;

/** What the screen shows, apart from the state. */
export interface Shown {
  contents: Contents;
  title: string;
  hasPreview: boolean;
  /** Rows that the list has. */
  height: number;
}

/** What is drawn of a state: the rows that are seen, and what has been fetched of them. */
export function viewOf(state: Navigation, { contents, title, hasPreview, height }: Shown): NavigatorView {
  const { grown, filter, typing, found, word, help } = state;
  const listing = filter === 'all' ? '' : `, shown: ${FILTER_WORDS[filter]}`;
  return {
    ...{ title, word, help },
    remark: `${count(grown.count(), 'node')}${listing}`,
    rows: rowsSeen(state, contents, height),
    hits: found === null ? null : { list: found.hits, selected: found.selected, query: found.query },
    sides: sidesOf(state, contents, height),
    preview: hasPreview ? (contents.preview(grown.seqOf(state.selected)) ?? []) : null,
    typing: typing === null ? null : { label: TYPING_LABELS[typing.what], text: typing.text },
  };
}

function rowsSeen(state: Navigation, contents: Contents, height: number): NavigatorRow[] {
  const { grown, marks, position, selected, folded, top } = state;
  const seen = [...state.rows.subarray(top, top + height)];
  const lines = contents.lines(seen.map((index) => grown.seqOf(index)));
  return seen.map((index, at) => ({
    node: lines[at] ?? null,
    branching: branchingOf(grown, index, LEVELS_MAX),
    folded: folded.has(index) ? { nodes: grown.sizeOf(index), newestMs: grown.newestMs(index) } : null,
    atMs: grown.atMs(index),
    isChosen: index === selected,
    isHere: index === position,
    isArchived: grown.isArchived(index),
    marks: marks.get(grown.seqOf(index)) ?? [],
  }));
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
