import {
  drawTranscript,
  type KeyWords,
  pageColumns,
  pageHeight,
  type TranscriptRow,
} from '../../render/screens/viewer_page.js';
import { formatNumber } from '../../render/text/ids_and_counts.js';
import type { Key } from '../editor/keys/key.js';
import { createRows } from './block_rows.js';
import { completionFor, historyOf } from './colon_completion.js';
import { LEADER_KEYS } from './leader.js';
import { createLeaderTimer } from './leader_timer.js';
import { growIfNear, sync } from './refresh_path.js';
import { refreshLine, shownLine } from './typed_line.js';
import { performViewerAction } from './viewer_actions.js';
import { pressed } from './viewer_keys.js';
import { doNext, show, type ViewerEnd, type ViewerParts, type ViewerState } from './viewer_state.js';
import { atEnd, EMPTY_VIEW, isAtEnd, type Rows, scrolled, seenRows, type Viewing } from './viewport.js';

export interface Viewer {
  take(key: Key): void;
  /** Something was added to the tree, or the position has moved. */
  changed(): void;
  end: Promise<ViewerEnd>;
}

const HINTS = '[ ] block  Enter fold  j k scroll  q leave  ? keys  / search  : command  Space';
const NOTHING = 'Nothing has been said here yet.  Space more  ? keys  q leave';
const NORMAL_KEYS: readonly KeyWords[] = [
  ['[ ]', 'block before, after'],
  ['Enter', 'fold, unfold it'],
  ['j k', 'scroll by a row'],
  ['d u', 'by half a page'],
  ['PgDn PgUp', 'by a page'],
  ['g G', 'beginning, end'],
  ['/ n N', 'search, further'],
  ['y', 'copy the block'],
  [':', 'a command'],
  ['Esc', 'the tree'],
  ['q i', 'leave'],
];

/** Opens the transcript of the path to where one stands, on the alternate screen. */
export async function openViewer(parts: ViewerParts): Promise<Viewer> {
  const { terminal } = parts;
  const cutter = createRows(Date.now);
  const rows = (): Rows => {
    const size = terminal.size();
    return cutter(parts.look(pageColumns(size.columns)), pageHeight(size.rows));
  };
  let leave: (end: ViewerEnd) => void = () => undefined;
  const end = new Promise<ViewerEnd>((resolve) => {
    leave = resolve;
  });
  const desk: ViewerState = {
    ...{ parts, rows, view: EMPTY_VIEW, path: null, following: null, finder: null, isAtEnd: true },
    ...{
      errand: new AbortController(),
      counting: new AbortController(),
      searches: 0,
      work: Promise.resolve(),
      history: historyOf(parts.client),
    },
    completion: completionFor(parts.client, { tree: () => desk.path?.tree ?? null, changed: () => offer(desk) }),
    timer: createLeaderTimer((leader) => show(desk, { ...desk.view, leader })),
    leave(how) {
      desk.timer.stop();
      desk.following?.stop();
      desk.errand.abort();
      desk.counting.abort();
      terminal.leaveScreen();
      leave(how);
    },
  };
  await sync(desk);
  terminal.enterScreen(({ columns, rows: high }) => draw(desk, columns, high));
  return { end, take: (key) => take(desk, key), changed: () => doNext(desk, () => sync(desk)) };
}

function draw(desk: ViewerState, columns: number, high: number) {
  const { parts } = desk;
  const rows = desk.rows();
  // What grows at the end is gone along with by who looks there.
  const seenLast = desk.isAtEnd && desk.view.chosen === desk.view.blocks.length - 1;
  desk.view = seenLast ? atEnd(desk.view, rows) : scrolled(desk.view, 0, rows);
  desk.isAtEnd = isAtEnd(desk.view, rows);
  const { view } = desk;
  const look = parts.look(columns);
  // At the root there is a path, and nothing on it.
  const isRead = desk.path !== null || parts.position() === null;
  const hints = view.blocks.length === 0 && isRead ? NOTHING : HINTS;
  const page = {
    ...{ rows: shownRows(view, rows), typing: view.typing === null ? null : shownLine(view.typing) },
    ...{ word: view.word ?? foundWord(view), hints, keys: keysShown(view) },
    status: parts.status(view.typing?.sign === ':' ? 'COMMAND' : 'NORMAL', look),
  };
  return drawTranscript(page, high, look);
}

function shownRows(view: Viewing, rows: Rows): TranscriptRow[] {
  const marks = new Map<number, ReturnType<Rows['marks']>>();
  return seenRows(view, rows).map(({ text, block, row }) => {
    const known = marks.get(block) ?? rows.marks(view, block);
    marks.set(block, known);
    return { text, isChosen: block === view.chosen, marks: known.get(row) ?? [] };
  });
}

/** Where among all places one is: `/needle  3/17`. */
function foundWord({ found, query }: Viewing): string | null {
  if (found === null || query === '') return null;
  const { tally, isAround } = found;
  const place = tally === null ? 'counting' : `${formatNumber(tally.place)}/${formatNumber(tally.total)}`;
  return `/${query}  ${place}${isAround ? '  around the end' : ''}  n N on  Esc ends`;
}

/** What can be completed has become known. */
function offer(desk: ViewerState): void {
  const { view, completion } = desk;
  if (view.typing !== null) show(desk, { ...view, typing: refreshLine(view.typing, completion) });
}

function keysShown({ help, leader }: Viewing): readonly KeyWords[] {
  if (help) return [...NORMAL_KEYS, ...LEADER_KEYS.map(([key, words]): KeyWords => [`Space ${key}`, words])];
  return leader === 'listed' ? LEADER_KEYS : [];
}

function take(desk: ViewerState, key: Key): void {
  desk.counting.abort();
  desk.counting = new AbortController();
  const { view, wish } = pressed(desk.view, key, {
    rows: desk.rows(),
    completion: desk.completion,
    history: desk.history,
  });
  if (wish?.kind !== 'search') {
    desk.errand.abort();
    desk.errand = new AbortController();
  }
  show(desk, view);
  desk.isAtEnd = isAtEnd(view, desk.rows());
  if (wish !== null) performViewerAction(desk, wish);
  growIfNear(desk);
}
