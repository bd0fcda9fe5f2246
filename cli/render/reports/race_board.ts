import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut } from '../text/cut.js';
import { count, formatNumber } from '../text/ids_and_counts.js';
import { type CostSum, formatPrice } from './cost_table.js';

/** One turn of a race. */
export interface Lane {
  number: number;
  /** The model. */
  label: string;
  turn: TurnId;
  state: 'starting' | 'running' | 'waiting' | 'done' | 'stopped' | 'interrupted' | 'failed';
  /** The exit code of the check; null before it has ended. */
  check: number | null;
  /** Where its branch ends. */
  tip: NodeId;
  files: number;
  added: number;
  removed: number;
  cost: CostSum;
  seconds: number;
}

const LABEL_COLUMNS_MIN = 8;
const GAP_COLUMNS = 2;
/** Who waits for a person comes first. */
const ORDER: Readonly<Record<Lane['state'], number>> = {
  ...{ waiting: 0, running: 1, starting: 1, done: 1, stopped: 1, interrupted: 1, failed: 1 },
};
const WORDS: Readonly<Record<Lane['state'], string>> = {
  ...{ starting: 'starting', running: 'works', waiting: 'waits for you', done: 'done', stopped: 'at its limit' },
  ...{ interrupted: 'stopped', failed: 'failed' },
};

/** The lanes of a race, one line each. */
export function renderBoard(lanes: readonly Lane[], look: Look): string {
  const sorted = [...lanes].sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.number - b.number);
  const tails = columns(sorted.map(cellsOf), look);
  const room = Math.max(LABEL_COLUMNS_MIN, look.width - widest(tails, look.ruler) - GAP_COLUMNS);
  const rows = sorted.map((lane, index) => [
    cut(`${lane.number}. ${cleanLine(lane.label)}`, room, look),
    tails[index] ?? '',
  ]);
  return columns(rows, look)
    .map((line, index) => `${inkOf(sorted[index], look)(line)}\n`)
    .join('');
}

function cellsOf({ state, check, files, added, removed, cost, seconds }: Lane): string[] {
  const tokens = cost.tokens_in + cost.tokens_out;
  return [
    WORDS[state],
    checkWords(check),
    files === 0 ? '' : `${count(files, 'file')} +${added} -${removed}`,
    tokens === 0 ? '' : `${formatNumber(tokens)} tokens`,
    cost.price_microdollars === 0 ? '' : formatPrice(cost.price_microdollars),
    `${Math.round(seconds)} s`,
  ];
}

function checkWords(check: number | null): string {
  if (check === null) return '';
  return check === 0 ? 'check ok' : `check ${check}`;
}

function inkOf(lane: Lane | undefined, { style }: Look): (text: string) => string {
  if (lane?.state === 'waiting') return style.warning;
  return lane?.state === 'done' && (lane.check ?? 0) === 0 ? style.strong : style.quiet;
}
