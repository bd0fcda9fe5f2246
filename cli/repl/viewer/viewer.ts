import {
  drawViewer,
  type KeyWords,
  pageColumns,
  pageHeight,
  type ViewerRow,
} from '../../render/screens/viewer_page.js';
import { formatNumber } from '../../render/text/ids_and_counts.js';
import { getReady, isAnswerable, questionRow } from '../editor/keys/confirmation.js';
import type { Key } from '../editor/keys/key.js';
import { createQuiet } from '../editor/keys/quiet.js';
import { type Taken, takenFor } from '../editor/keys/typed_run.js';
import { createRows } from './block_rows.js';
import { completionFor, historyOf } from './colon_completion.js';
import { LEADER_KEYS } from './leader.js';
import { growIfNear, sync } from './refresh_path.js';
import { refreshLine, shownLine } from './typed_line.js';
import { performViewerAction } from './viewer_actions.js';
import { pressed } from './viewer_keys.js';
import { doNext, show, type ViewerEnd, type ViewerParts, type ViewerState } from './viewer_state.js';
import { atEnd, EMPTY_VIEW, isAtEnd, type Rows, scrolled, seenRows, type Viewing } from './viewport.js';

export interface Viewer {
  take(key: Key): Taken;
  leave(): void;
  /** Nodes were added, or the position moved. */
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
  ['y y', 'copy the block'],
  [':', 'a command'],
  ['Esc', 'the tree'],
  ['q i', 'leave'],
  ['others', 'text: you write it'],
];

/** Opens the path to the position for reading, on the alternate screen. */
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
  const viewer: ViewerState = {
    ...{ parts, rows, view: EMPTY_VIEW, path: null, following: null, finder: null, isAtEnd: true },
    ...{
      errand: new AbortController(),
      counting: new AbortController(),
      searches: 0,
      work: Promise.resolve(),
      history: historyOf(parts.client),
    },
    completion: completionFor(parts.client, { tree: () => viewer.path?.tree ?? null, changed: () => offer(viewer) }),
    quiet: createQuiet(),
    leave(how) {
      viewer.quiet.stop();
      viewer.following?.stop();
      viewer.errand.abort();
      viewer.counting.abort();
      terminal.leaveScreen();
      leave(how);
    },
  };
  await sync(viewer);
  terminal.enterScreen(({ columns, rows: high }) => draw(viewer, columns, high));
  return {
    end,
    take: (key) => take(viewer, key),
    leave: () => viewer.leave({ kind: 'insert' }),
    changed: () => doNext(viewer, () => sync(viewer)),
  };
}

function draw(viewer: ViewerState, columns: number, high: number) {
  const { parts } = viewer;
  const rows = viewer.rows();
  // At the end, the view follows new text.
  const seenLast = viewer.isAtEnd && viewer.view.chosen === viewer.view.blocks.length - 1;
  viewer.view = seenLast ? atEnd(viewer.view, rows) : scrolled(viewer.view, 0, rows);
  viewer.isAtEnd = isAtEnd(viewer.view, rows);
  const { view } = viewer;
  const look = parts.look(columns);
  // The path of the root is empty.
  const isRead = viewer.path !== null || parts.position() === null;
  const hints = view.blocks.length === 0 && isRead ? NOTHING : HINTS;
  const page = {
    ...{ rows: shownRows(view, rows), typing: view.typing === null ? null : shownLine(view.typing) },
    ...{
      word: view.asking === null ? (view.word ?? foundWord(view)) : questionRow(view.asking),
      hints,
      keys: keysShown(view),
    },
    status: parts.status(view.typing?.sign === ':' ? 'COMMAND' : 'NORMAL', look),
  };
  return drawViewer(page, high, look);
}

function shownRows(view: Viewing, rows: Rows): ViewerRow[] {
  const marks = new Map<number, ReturnType<Rows['marks']>>();
  return seenRows(view, rows).map(({ text, block, row }) => {
    const known = marks.get(block) ?? rows.marks(view, block);
    marks.set(block, known);
    return { text, isChosen: block === view.chosen, marks: known.get(row) ?? [] };
  });
}

/** The number of the selected match: `/needle  3/17`. */
function foundWord({ found, query }: Viewing): string | null {
  if (found === null || query === '') return null;
  const { tally, isAround } = found;
  const place = tally === null ? 'counting' : `${formatNumber(tally.place)}/${formatNumber(tally.total)}`;
  return `/${query}  ${place}${isAround ? '  around the end' : ''}  n N on  Esc ends`;
}

/** New candidates have arrived. */
function offer(viewer: ViewerState): void {
  const { view, completion } = viewer;
  if (view.typing !== null) show(viewer, { ...view, typing: refreshLine(view.typing, completion) });
}

function keysShown({ help, leader }: Viewing): readonly KeyWords[] {
  if (help) return [...NORMAL_KEYS, ...LEADER_KEYS.map(([key, words]): KeyWords => [`Space ${key}`, words])];
  return leader === 'listed' ? LEADER_KEYS : [];
}

const LISTED_AFTER_MS = 200;

/** Lists the leader keys after a pause, until a key comes. */
function listLater({ view, quiet }: ViewerState, become: (change: Partial<Viewing>) => void): void {
  quiet.stop();
  if (view.leader === 'pressed') quiet.after(LISTED_AFTER_MS, () => become({ leader: 'listed' }));
  const { asking } = view;
  getReady(quiet, asking, () => become({ asking: asking === null ? null : { ...asking, isReady: true } }));
}

function take(viewer: ViewerState, key: Key): Taken {
  viewer.counting.abort();
  viewer.counting = new AbortController();
  const { view, action } = pressed(viewer.view, key, {
    rows: viewer.rows(),
    completion: viewer.completion,
    history: viewer.history,
    modes: viewer.parts.modes(),
  });
  const taken = takenFor(action, viewer.view.typing !== null || isAnswerable(viewer.view.asking));
  if (action?.kind !== 'search') {
    viewer.errand.abort();
    viewer.errand = new AbortController();
  }
  show(viewer, view);
  listLater(viewer, (change) => show(viewer, { ...viewer.view, ...change }));
  viewer.isAtEnd = isAtEnd(view, viewer.rows());
  if (action !== null) performViewerAction(viewer, action);
  growIfNear(viewer);
  return taken;
}
