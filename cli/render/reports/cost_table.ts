import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut } from '../text/cut.js';
import { count, formatNumber } from '../text/ids_and_counts.js';

/** The sum of some requests. */
export type CostSum = ResultOf<'loom.cost_get'>['total'];

/** One line of a cost table. */
export interface CostLine {
  label: string;
  cost: CostSum;
}

interface CostTable {
  lines: readonly CostLine[];
  /** The sum that the remarks below the table are about. */
  total: CostSum;
}

const LABEL_COLUMNS_MIN = 16;
const GAP_COLUMNS = 2;
const MICRODOLLARS = 1_000_000;
const HEADINGS = ['', 'requests', 'in', 'out', 'cache read', 'cache write', 'price'] as const;

/** Draws a table, or a few lines for each sum where that is too wide; below it what the sums do not contain. */
export function renderCosts({ lines, total }: CostTable, look: Look): string {
  const labels = lines.map(({ label }) => clean(label));
  const numbers = [HEADINGS.slice(1), ...lines.map(({ cost }) => cellsOf(cost))];
  const tails = columns(rightAligned(numbers, look), look);
  const room = look.width - widest(tails, look.ruler) - GAP_COLUMNS;
  const drawn = room < LABEL_COLUMNS_MIN ? stacked(lines, look) : table(labels, tails, { room, look });
  return [...drawn, ...remarksOn(total).map((remark) => look.style.quiet(remark))].map((line) => `${line}\n`).join('');
}

/** Keeps the indentation of a label, which marks it as a part of the one above. */
function clean(label: string): string {
  return `${/^ */.exec(label)?.[0] ?? ''}${cleanLine(label)}`;
}

function table(labels: readonly string[], tails: readonly string[], { room, look }: { room: number; look: Look }) {
  const rows = ['', ...labels].map((label, index) => [cut(label, room, look), tails[index] ?? '']);
  return columns(rows, look).map((line, index) => (index === 0 ? look.style.quiet(line) : line));
}

/** Right-aligns all but the last column. */
function rightAligned(rows: readonly (readonly string[])[], look: Look): string[][] {
  const widths = (rows[0] ?? []).map((_, index) =>
    widest(
      rows.map((row) => row[index] ?? ''),
      look.ruler,
    ),
  );
  return rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padStart(widths[index] ?? 0))),
  );
}

function stacked(lines: readonly CostLine[], look: Look): string[] {
  return lines.flatMap(({ label, cost }) => {
    const indent = `${/^ */.exec(label)?.[0] ?? ''}  `;
    const facts = wrapped(factsOf(cost), look.width - indent.length);
    return [cut(clean(label), look.width, look), ...facts.map((one) => indent + one)];
  });
}

/** The cells of a table as words; a cache that was not used is left out. */
function factsOf(cost: CostSum): string[] {
  const [, ...cells] = cellsOf(cost);
  const facts = cells.map((cell, index) => ({ name: HEADINGS[index + 2] ?? '', cell }));
  const visible = facts.filter(({ name, cell }) => !(name.startsWith('cache') && cell === '0'));
  return [count(cost.requests, 'request'), ...visible.map(({ name, cell }) => `${name} ${cell}`)];
}

/** A sum on one line. */
export function costWords(cost: CostSum): string {
  return factsOf(cost).join(', ');
}

/** Facts in as few lines as possible, none of them cut. */
function wrapped(facts: readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const last = lines.at(-1);
    const longer = `${last}, ${fact}`;
    if (last === undefined || longer.length + 1 > room) lines.push(fact);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line},`));
}

function cellsOf(cost: CostSum): string[] {
  const written = cost.tokens_cache_write_5m + cost.tokens_cache_write_1h;
  const tokens = [cost.tokens_in, cost.tokens_out, cost.tokens_cache_read, written];
  const visible = isKnown(cost, cost.unknown_usage) ? tokens.map(formatNumber) : tokens.map(() => missingWord(cost));
  return [formatNumber(cost.requests), ...visible, priceOf(cost)];
}

/** Whether a sum is known: it is zero without requests, but unknown if no request says it. */
function isKnown(cost: CostSum, unknown: number): boolean {
  return cost.requests === 0 || unknown < endedRequests(cost);
}

function missingWord(cost: CostSum): string {
  return endedRequests(cost) === 0 ? 'not yet' : 'unknown';
}

function endedRequests({ requests, running }: CostSum): number {
  return requests - running;
}

/** An unknown price is never shown as zero. */
function priceOf(cost: CostSum): string {
  const { unknown_price: unknown, price_microdollars: price } = cost;
  const times = unknown === 0 ? '' : ` for ${formatNumber(unknown)}`;
  if (!isKnown(cost, unknown)) return `${missingWord(cost)}${times}`;
  return unknown === 0 ? formatPrice(price) : `${formatPrice(price)}, unknown${times}`;
}

/** A price in dollars, with as many digits as are significant. */
export function formatPrice(microdollars: number): string {
  if (microdollars === 0) return '$0';
  const dollars = microdollars / MICRODOLLARS;
  if (dollars < 0.0001) return '<$0.0001';
  // A price that would be rounded up to a dollar has two digits like a dollar.
  if (dollars < 0.99995) return `$${dollars.toFixed(4)}`;
  const [whole = '', cents = ''] = dollars.toFixed(2).split('.');
  return `$${formatNumber(Number(whole))}.${cents}`;
}

/** A sum of which some may be unknown, which is never told as zero. */
export function formatKnownPrice({ microdollars, isWhole }: { microdollars: number; isWhole: boolean }): string {
  if (isWhole) return formatPrice(microdollars);
  return microdollars === 0 ? '$?' : `${formatPrice(microdollars)}+?`;
}

/** Remarks that are needed to read the sums correctly. */
function remarksOn(total: CostSum): string[] {
  const { running, failed, estimated, unknown_price: price, unknown_usage: usage } = total;
  const remarks: [number, string][] = [
    [price, `${are(price)} in no price, because theirs is not known.`],
    [usage, `${are(usage)} in no number of tokens, because nobody counted them.`],
    [estimated, `${are(estimated)} estimated, because the answer was cut off.`],
    [failed, `${count(failed, 'request')} failed.`],
    [running, `${count(running, 'request')} still running: not counted yet.`],
  ];
  return remarks.filter(([number]) => number > 0).map(([, remark]) => remark);
}

function are(number: number): string {
  return `${count(number, 'request')} ${number === 1 ? 'is' : 'are'}`;
}
