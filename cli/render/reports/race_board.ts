import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut } from '../text/cut.js';
import { count, formatNumber } from '../text/ids_and_counts.js';
import { type CostSum, formatKnownPrice } from './cost_table.js';

/** One turn of a race. */
export interface Lane {
  number: number;
  /** The model. */
  label: string;
  turn: TurnId;
  state: 'starting' | 'running' | 'waiting' | 'done' | 'stopped' | 'interrupted' | 'failed';
  /** The exit code of the check; null before it has ended. */
  check: number | null;
  hasCheck: boolean;
  /** Where its branch ends, and where it has answered: a check comes after that. */
  tip: NodeId;
  answer: NodeId;
  files: number;
  added: number;
  removed: number;
  /** Null before it has begun. */
  cost: CostSum | null;
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

/** The lanes of a race, one line each: who waits for a person first. On a narrow terminal there is less in a line, and none wraps. */
export function renderBoard(lanes: readonly Lane[], look: Look): string[] {
  const sorted = [...lanes].sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.number - b.number);
  const least = Math.min(LABEL_COLUMNS_MIN, widest(sorted.map(titleOf), look.ruler)) + GAP_COLUMNS;
  const tails = fittingTails(sorted, Math.max(0, look.width - least), look);
  const room = Math.max(LABEL_COLUMNS_MIN, look.width - widest(tails, look.ruler) - GAP_COLUMNS);
  const rows = sorted.map((lane, index) => [cut(titleOf(lane), room, look), tails[index] ?? '']);
  return columns(rows, look).map((line, index) => inkOf(sorted[index], look)(cut(line, look.width, look)));
}

function titleOf({ number, label }: Lane): string {
  return `${number}. ${cleanLine(label)}`;
}

/** What is told of lanes, without what a person misses least where there is no room for all. */
function fittingTails(lanes: readonly Lane[], room: number, look: Look): string[] {
  const rows = lanes.map(cellsOf);
  const kept = new Set<CellName>(CELLS);
  const draw = (): string[] => {
    const shown = CELLS.filter((name) => kept.has(name) && rows.some((row) => row[name] !== ''));
    return columns(
      rows.map((row) => shown.map((name) => row[name])),
      look,
    );
  };
  for (const name of DROPPED) {
    if (widest(draw(), look.ruler) <= room) break;
    kept.delete(name);
  }
  return draw();
}

const CELLS = ['state', 'check', 'files', 'lines', 'tokens', 'price', 'time'] as const;
type CellName = (typeof CELLS)[number];
/** In this order. */
const DROPPED: readonly CellName[] = ['tokens', 'price', 'lines', 'time', 'files'];

function cellsOf(lane: Lane): Record<CellName, string> {
  const { state, files, added, removed, cost, seconds } = lane;
  const tokens = cost === null ? 0 : cost.tokens_in + cost.tokens_out;
  return {
    state: WORDS[state],
    check: checkWords(lane),
    files: files === 0 ? '' : count(files, 'file'),
    lines: files === 0 ? '' : `+${added} -${removed}`,
    tokens: tokens === 0 ? '' : `${formatNumber(tokens)} tokens`,
    price: cost === null ? '' : priceWords(cost),
    time: `${Math.round(seconds)} s`,
  };
}

/** Nothing where nothing was paid. */
function priceWords({ price_microdollars: microdollars, unknown_price: unknown }: CostSum): string {
  return microdollars === 0 && unknown === 0 ? '' : formatKnownPrice({ microdollars, isWhole: unknown === 0 });
}

function checkWords({ state, check, hasCheck }: Lane): string {
  if (check === null) return hasCheck && state === 'done' ? 'checks' : '';
  return check === 0 ? 'check ok' : `check ${check}`;
}

function inkOf(lane: Lane | undefined, { style }: Look): (text: string) => string {
  if (lane?.state === 'waiting') return style.warning;
  return lane?.state === 'done' && (lane.check ?? 0) === 0 ? style.strong : style.quiet;
}
