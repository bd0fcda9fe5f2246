import { NONE, numberAt } from '../core/node_table.js';
import { shownHead } from '../core/outline_rows.js';
import { indexOf, LETTER } from '../core/tree_columns.js';
import { turnOf } from '../core/walk.js';
import { lineOf } from '../state/known_lines.js';
import { columns, here, hits, marks, running, runs, runsOnPath, totals, wholeRows } from '../state/tree_state.js';
import { count, money } from '../state/word_forms.js';

/** The whole tree in one picture: the outline with everything open, as high as its canvas. */
export interface MapPlace {
  /** The height of a node, and the node at a height. */
  yOf(node: number): number;
  nodeAt(y: number): number;
  /** The nodes whose words were missing. */
  wanted: readonly number[];
}

interface Picture {
  canvas: CanvasRenderingContext2D;
  width: number;
  height: number;
  /** Pixels of a row and of a level. */
  rowHeight: number;
  step: number;
  padding: number;
  deepest: number;
  hasLabels: boolean;
  colour(name: string): string;
}

const LABELS_MAX = 400;
const LABEL_HEIGHT = 19;
const FACTS_WIDTH = 230;

export function drawMap(element: HTMLCanvasElement, hasLabels: boolean): MapPlace {
  const picture = pictureOf(element, hasLabels);
  if (picture === null) return { yOf: () => 0, nodeAt: () => NONE, wanted: [] };
  const { rowHeight, padding } = picture;
  drawRails(picture);
  drawStops(picture);
  drawMarks(picture);
  const wanted = hasLabels ? drawLabels(picture) : [];
  const rowAt = (y: number): number =>
    Math.max(0, Math.min(wholeRows.value.count - 1, Math.floor((y - padding) / rowHeight)));
  return {
    yOf: (node) => yOfRow(picture, rowOf(node)),
    nodeAt: (y) => numberAt(wholeRows.value.node, rowAt(y)),
    wanted,
  };
}

function pictureOf(element: HTMLCanvasElement, hasLabels: boolean): Picture | null {
  const canvas = element.getContext('2d');
  if (canvas === null) return null;
  const { clientWidth: width, clientHeight: height } = element;
  const scale = devicePixelRatio || 1;
  element.width = width * scale;
  element.height = height * scale;
  canvas.setTransform(scale, 0, 0, scale, 0, 0);
  canvas.clearRect(0, 0, width, height);
  const padding = hasLabels ? 16 : 8;
  const deepest = Math.max(
    1,
    runs.value.indent.reduce((most, indent) => Math.max(most, indent), 0),
  );
  const room = hasLabels ? Math.min(280, width * 0.4) : width - 2 * padding - 8;
  return {
    ...{ canvas, width, height, padding, deepest, hasLabels },
    rowHeight: Math.min(hasLabels ? 26 : 14, (height - 2 * padding) / Math.max(1, wholeRows.value.count)),
    step: Math.min(hasLabels ? 22 : 12, room / deepest),
    colour: (name) => colourOf(element, name),
  };
}

/** A canvas does not understand light-dark(): the colour is pending of the element. */
function colourOf(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = before;
  return color;
}

function xOf({ padding, step }: Picture, run: number): number {
  return padding + 4 + numberAt(runs.value.indent, run) * step;
}

function yOfRow({ padding, rowHeight }: Picture, row: number): number {
  return padding + (row + 0.5) * rowHeight;
}

function rowOf(node: number): number {
  const { node: nodes, run, rowOfRun, count: rowCount } = wholeRows.value;
  const own = numberAt(runs.value.runOf, node);
  const turn = turnOf(columns, runs.value, node);
  const first = numberAt(rowOfRun, own);
  let row = first;
  while (row + 1 < rowCount && run[row + 1] === own && nodes[row] !== turn) row += 1;
  return nodes[row] === turn ? row : first;
}

/** The last row of each run. */
function lastRows(): Int32Array {
  const { run, count: rowCount } = wholeRows.value;
  const last = new Int32Array(runs.value.count);
  for (let row = 0; row < rowCount; row += 1) last[numberAt(run, row)] = row;
  return last;
}

function drawRails(picture: Picture): void {
  const { canvas, rowHeight, colour } = picture;
  const thin = rowHeight < 5 ? 0.9 : 1.8;
  const last = lastRows();
  const on = runsOnPath.value;
  canvas.lineCap = 'round';
  for (const isOn of [false, true]) {
    canvas.beginPath();
    for (let run = 0; run < runs.value.count; run += 1) if (on.has(run) === isOn) traceRun(picture, run, last);
    canvas.strokeStyle = colour(isOn ? '--accent' : '--rail');
    canvas.lineWidth = isOn ? thin + 1.2 : thin;
    canvas.globalAlpha = !isOn && rowHeight < 0.5 ? 0.55 : 1;
    canvas.stroke();
  }
  canvas.globalAlpha = 1;
}

function traceRun(picture: Picture, run: number, last: Int32Array): void {
  const { canvas, rowHeight } = picture;
  const x = xOf(picture, run);
  const top = yOfRow(picture, numberAt(wholeRows.value.rowOfRun, run));
  const above = numberAt(runs.value.up, run);
  if (above !== NONE) {
    const from = { x: xOf(picture, above), y: yOfRow(picture, numberAt(last, above)) };
    const bend = Math.min(8, rowHeight);
    canvas.moveTo(from.x, from.y);
    if (runs.value.trunk[above] === run) canvas.lineTo(x, top);
    else {
      canvas.lineTo(from.x, Math.max(from.y, top - bend));
      canvas.quadraticCurveTo(from.x, top, x, top);
    }
  }
  canvas.moveTo(x, top);
  canvas.lineTo(x, Math.max(yOfRow(picture, numberAt(last, run)), top + Math.min(2, rowHeight)));
}

function drawStops(picture: Picture): void {
  const { canvas, rowHeight, hasLabels, width, colour } = picture;
  const { run, count: rowCount } = wholeRows.value;
  if (!hasLabels) drawFailures(picture, width);
  if (rowHeight < 4) return;
  const size = Math.min(hasLabels ? 4.5 : 3, rowHeight / 2.4);
  const [panel, accent, rail] = [colour(hasLabels ? '--bg' : '--panel'), colour('--accent'), colour('--rail')];
  canvas.lineWidth = 1.6;
  canvas.fillStyle = panel;
  for (let row = 0; row < rowCount; row += 1) {
    const own = numberAt(run, row);
    canvas.beginPath();
    canvas.arc(xOf(picture, own), yOfRow(picture, row), size, 0, 7);
    canvas.fill();
    canvas.strokeStyle = runsOnPath.value.has(own) ? accent : rail;
    canvas.stroke();
  }
}

/** Failures are what a person looks for: a tick at the edge. */
function drawFailures(picture: Picture, width: number): void {
  const { canvas, rowHeight, colour } = picture;
  canvas.fillStyle = colour('--bad');
  totals.value.failures.forEach((failures, run) => {
    if (failures === 0) return;
    const y = yOfRow(picture, numberAt(wholeRows.value.rowOfRun, run));
    canvas.fillRect(width - 5, y - 1, 3, Math.max(1, Math.min(3, rowHeight)));
  });
}

function drawMarks(picture: Picture): void {
  const { canvas, colour, hasLabels } = picture;
  const dot = (node: number, name: string, size: number): void => {
    if (node === NONE) return;
    canvas.beginPath();
    canvas.arc(xOf(picture, numberAt(runs.value.runOf, node)), yOfRow(picture, rowOf(node)), size, 0, 7);
    canvas.fillStyle = colour(name);
    canvas.fill();
    canvas.strokeStyle = colour(hasLabels ? '--bg' : '--panel');
    canvas.lineWidth = 1.2;
    canvas.stroke();
  };
  for (const seq of marks.value.keys()) dot(indexOf(columns, seq), '--mark', 5);
  for (const { seq } of hits.value ?? []) dot(indexOf(columns, seq), '--hit', 3.5);
  for (const { tip } of running.value) dot(indexOf(columns, tip), '--live', 5);
  dot(here.value, '--accent', 5.5);
}

/** Names what is read first, then the heaviest branches, then turns where there is room. */
function drawLabels(picture: Picture): number[] {
  const { rowOfRun, node, run, count: rowCount } = wholeRows.value;
  const weight = (one: number): number =>
    (runsOnPath.value.has(one) ? columns.count : 0) + numberAt(runs.value.weight, one);
  const order = Array.from({ length: runs.value.count }, (_, index) => index).sort((a, b) => weight(b) - weight(a));
  const labels = createLabels(picture);
  for (const one of order) {
    if (labels.isFull()) break;
    labels.put({ node: shownHead(columns, runs.value, one), run: one, row: numberAt(rowOfRun, one), isHead: true });
  }
  if (picture.rowHeight >= LABEL_HEIGHT - 1) {
    for (let row = 0; row < rowCount; row += 1) {
      labels.put({ node: numberAt(node, row), run: numberAt(run, row), row, isHead: false });
    }
  }
  return labels.wanted;
}

interface Label {
  node: number;
  run: number;
  row: number;
  isHead: boolean;
}

function createLabels(picture: Picture) {
  const taken = new Set<number>();
  const wanted: number[] = [];
  let shown = 0;
  const isFree = (y: number): boolean => {
    const slots = Array.from({ length: LABEL_HEIGHT }, (_, index) => y + index - 9);
    if (y < 8 || y > picture.height - 8 || slots.some((slot) => taken.has(slot))) return false;
    for (const slot of slots) taken.add(slot);
    return true;
  };
  return {
    wanted,
    isFull: () => shown >= LABELS_MAX,
    put(label: Label): void {
      const y = Math.round(yOfRow(picture, label.row));
      if (!isFree(y)) return;
      shown += 1;
      const line = lineOf(label.node);
      if (line === null) wanted.push(label.node);
      const words = columns.kind[label.node] === LETTER.root ? 'the beginning' : (line?.preview ?? '');
      writeLabel(picture, label, { y, words });
    },
  };
}

function writeLabel(picture: Picture, { run, isHead }: Label, { y, words }: { y: number; words: string }): void {
  const { canvas, width, padding, deepest, step, colour } = picture;
  const x = padding + 4 + deepest * step + 22 + numberAt(runs.value.indent, run) * 9;
  canvas.textBaseline = 'middle';
  canvas.strokeStyle = colour('--line');
  canvas.lineWidth = 1;
  canvas.setLineDash([1, 3]);
  canvas.beginPath();
  canvas.moveTo(xOf(picture, run) + 7, y);
  canvas.lineTo(x - 6, y);
  canvas.stroke();
  canvas.setLineDash([]);
  canvas.fillStyle = colour(runsOnPath.value.has(run) ? '--ink' : '--quiet');
  canvas.font = `${isHead ? '600 ' : ''}13px system-ui, sans-serif`;
  const room = width < 700 ? width - x - 8 : width - x - FACTS_WIDTH;
  canvas.fillText(fitted(canvas, words, room), x, y);
  if (!isHead || width < 700) return;
  canvas.font = '12px system-ui, sans-serif';
  canvas.fillStyle = colour('--quiet');
  canvas.textAlign = 'right';
  canvas.fillText(factsOfRun(run), width - 20, y);
  canvas.textAlign = 'left';
}

function fitted(canvas: CanvasRenderingContext2D, words: string, room: number): string {
  let text = words;
  while (text.length > 8 && canvas.measureText(text).width > room) text = `${text.slice(0, -6)}…`;
  return text;
}

function factsOfRun(run: number): string {
  const price = numberAt(totals.value.price, run);
  const leaves = numberAt(runs.value.leaves, run);
  const nodes = count(numberAt(runs.value.weight, run), 'node');
  return [...(leaves > 1 ? [count(leaves, 'branch')] : []), nodes, ...(price > 0 ? [money(price)] : [])].join(', ');
}
