import { drawTranscript, type KeyWords, pageColumns, pageHeight } from '../../render/transcript_view.js';
import type { Key } from '../editor/keys.js';
import { doNext, show, type ViewerDesk, type ViewerEnd, type ViewerParts } from './desk.js';
import { pressed } from './keys.js';
import { LEADER_KEYS } from './leader.js';
import { createLeaderTimer } from './leader_timer.js';
import { growIfNear, sync } from './reading.js';
import { createRows } from './rows.js';
import { EMPTY_VIEW, type Rows, scrolled, seenRows, type Viewing } from './view.js';
import { fulfil } from './wishes.js';

export interface Viewer {
  take(key: Key): void;
  /** Something was added to the tree, or the position has moved. */
  changed(): void;
  end: Promise<ViewerEnd>;
}

const HINTS = '[ ] block  Enter fold  j k scroll  / search  y copy  : command  Space more  ? keys  q leave';
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
  const cutter = createRows();
  const rows = (): Rows => {
    const size = terminal.size();
    return cutter(parts.look(pageColumns(size.columns)), pageHeight(size.rows));
  };
  let leave: (end: ViewerEnd) => void = () => undefined;
  const end = new Promise<ViewerEnd>((resolve) => {
    leave = resolve;
  });
  const desk: ViewerDesk = {
    ...{ parts, rows, view: EMPTY_VIEW, path: null, errand: new AbortController(), work: Promise.resolve() },
    timer: createLeaderTimer((leader) => show(desk, { ...desk.view, leader })),
    leave(how) {
      desk.timer.stop();
      desk.errand.abort();
      terminal.leaveScreen();
      leave(how);
    },
  };
  await sync(desk);
  terminal.enterScreen(({ columns, rows: high }) => draw(desk, columns, high));
  return { end, take: (key) => take(desk, key), changed: () => doNext(desk, () => sync(desk)) };
}

function draw(desk: ViewerDesk, columns: number, high: number) {
  const { parts } = desk;
  const rows = desk.rows();
  desk.view = scrolled(desk.view, 0, rows);
  const { view } = desk;
  const look = parts.look(columns);
  const seen = seenRows(view, rows).map(({ text, block }) => ({ text, isChosen: block === view.chosen }));
  const hints = view.blocks.length === 0 && desk.path === null && parts.position() === null ? NOTHING : HINTS;
  const page = {
    ...{ rows: seen, query: view.query, typing: view.typing, word: view.word ?? hints },
    keys: keysShown(view),
    status: parts.status(view.typing?.sign === ':' ? 'COMMAND' : 'NORMAL', look),
  };
  return drawTranscript(page, high, look);
}

function keysShown({ help, leader }: Viewing): readonly KeyWords[] {
  if (help) return [...NORMAL_KEYS, ...LEADER_KEYS.map(([key, words]): KeyWords => [`Space ${key}`, words])];
  return leader === 'listed' ? LEADER_KEYS : [];
}

function take(desk: ViewerDesk, key: Key): void {
  desk.errand.abort();
  desk.errand = new AbortController();
  const { view, wish } = pressed(desk.view, key, desk.rows());
  show(desk, view);
  if (wish !== null) fulfil(desk, wish);
  growIfNear(desk);
}
