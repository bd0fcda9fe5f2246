import { useEffect, useRef } from 'preact/hooks';
import { numberAt } from '../core/node_table.js';
import { linesVersion, wantLines } from '../state/known_lines.js';
import { goTo } from '../state/moves.js';
import {
  columns,
  costs,
  here,
  hits,
  marks,
  path,
  rows,
  running,
  runs,
  totals,
  wholeRows,
} from '../state/tree_state.js';
import { shownRows } from '../state/view_state.js';
import { count } from '../state/word_forms.js';
import { drawMap, type MapPlace } from './map_drawing.js';

/** The whole tree in one picture, whatever its size; with words, or as a strip beside what is read. */
export function TreeMap({ hasLabels }: { hasLabels: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useRef<MapPlace | null>(null);
  const drawn = [marks, running, hits, path, costs, wholeRows, here, totals, ...(hasLabels ? [linesVersion] : [])];
  for (const signal of drawn) signal.value;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const draw = (): void => {
      place.current = drawMap(element, hasLabels);
      wantLines(place.current.wanted);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    theme.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      theme.removeEventListener('change', draw);
    };
  });
  const words = `${count(columns.count, 'node')}, ${count(numberAt(runs.value.leaves, 0), 'branch')}`;
  const picture = (
    <canvas
      ref={canvas}
      class={hasLabels ? 'map large' : 'map'}
      role="img"
      aria-label={`The whole tree: ${words}. The list beside it says the same.`}
      onClick={(event) => {
        if (place.current !== null) goTo(place.current.nodeAt(event.offsetY));
      }}
    />
  );
  if (hasLabels) return picture;
  return (
    <div class="map-box">
      {picture}
      <ShownPart place={place} />
    </div>
  );
}

/** What the outline shows just now: an element over the picture, so that scrolling draws nothing anew. */
function ShownPart({ place }: { place: { current: MapPlace | null } }) {
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = shownRows.value;
  const { node } = rows.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.hidden = place.current === null || to <= from;
    if (place.current === null || element.hidden) return;
    const top = place.current.yOf(numberAt(node, from));
    const bottom = place.current.yOf(numberAt(node, Math.min(to, node.length - 1)));
    element.style.top = `${Math.min(top, bottom) - 4}px`;
    element.style.height = `${Math.max(8, Math.abs(bottom - top) + 8)}px`;
  });
  return <div class="map-window" ref={box} />;
}
