import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { numberAt } from '../core/node_table.js';
import { ROW } from '../core/outline_rows.js';
import { linesVersion, wantLines } from '../state/known_lines.js';
import { read } from '../state/moves.js';
import { rows } from '../state/tree_state.js';
import { cursor, shownRows } from '../state/view_state.js';
import { fold, keyInOutline } from './outline_keys.js';
import { OutlineRow } from './outline_row.js';

const BEYOND = 6;
const START_HEIGHT = 800;

/** The tree as rows: one straight trunk, side branches indented by one. Only the rows on the screen are elements. */
export function Outline({ rowHeight }: { rowHeight: number }) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(START_HEIGHT);
  useSize(box, (pixels) => {
    height.value = pixels || START_HEIGHT;
  });
  const first = useComputed(() => Math.max(0, Math.floor(top.value / rowHeight) - BEYOND));
  linesVersion.value;
  const all = rows.value;
  const from = Math.max(0, Math.min(first.value, all.count - 1));
  const to = Math.min(all.count, from + Math.ceil(height.value / rowHeight) + 2 * BEYOND);
  const at = Math.min(cursor.value, all.count - 1);
  useEffect(() => {
    wantLines([...all.node.subarray(from, to)]);
    tellShown({ top: top.peek(), height: height.peek(), rowHeight });
  });
  useLayoutEffect(() => {
    if (box.current !== null) reveal(box.current, at * rowHeight, rowHeight);
  }, [at, all]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || all.count === 0) return;
    const target = keyInOutline(event.key, Math.max(1, Math.floor(height.value / rowHeight) - 1));
    if (target === undefined) return;
    event.preventDefault();
    if (target !== null) cursor.value = Math.max(0, Math.min(rows.value.count - 1, target));
  };
  const choose = (row: number) => (isRail: boolean) => {
    cursor.value = row;
    const flags = all.flags[row] ?? 0;
    const canFold = (flags & ROW.folded) !== 0 || (flags & (ROW.canFold | ROW.head)) === (ROW.canFold | ROW.head);
    if (isRail && canFold) fold(row, (flags & ROW.folded) !== 0);
    else read(numberAt(all.node, row));
    box.current?.focus({ preventScroll: true });
  };
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  return (
    <div
      class="outline"
      ref={box}
      role="tree"
      aria-label="The conversation as a tree"
      tabIndex={0}
      aria-activedescendant={all.count > 0 ? `row${all.node[at]}` : undefined}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: `${all.count * rowHeight + 12}px` }} class="room" role="presentation">
        <div class="window" role="presentation" style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {drawn.map((row) => (
            <OutlineRow key={all.node[row]} row={row} height={rowHeight} onChoose={choose(row)} />
          ))}
        </div>
      </div>
    </div>
  );
}

function useSize(box: { current: HTMLElement | null }, take: (height: number) => void): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => take(element.clientHeight));
    observer.observe(element);
    take(element.clientHeight);
    return () => observer.disconnect();
  }, []);
}

/** Scrolls no more than is needed to see a row and one beside it. */
function reveal(box: HTMLElement, y: number, rowHeight: number): void {
  if (y < box.scrollTop + rowHeight) box.scrollTop = Math.max(0, y - rowHeight);
  else if (y + 2 * rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = y + 2 * rowHeight - box.clientHeight;
}

function tellShown({ top, height, rowHeight }: { top: number; height: number; rowHeight: number }): void {
  const last = rows.peek().count - 1;
  const from = Math.min(last, Math.floor(top / rowHeight));
  const to = Math.min(last, from + Math.floor(height / rowHeight));
  const before = shownRows.peek();
  if (before.from !== from || before.to !== to) shownRows.value = { from, to };
}
