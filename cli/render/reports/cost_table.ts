import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut } from '../text/cut.js';
import { count, formatNumber } from '../text/ids_and_counts.js';

/** What some requests cost together. */
export type CostSum = ResultOf<'loom.cost_get'>['total'];

/** One line of an account. */
export interface CostLine {
  label: string;
  cost: CostSum;
}

interface Account {
  lines: readonly CostLine[];
  /** What the remarks below the lines are about. */
  total: CostSum;
}

const LABEL_COLUMNS_MIN = 16;
const GAP_COLUMNS = 2;
const MICRODOLLARS = 1_000_000;
const HEADINGS = ['', 'requests', 'in', 'out', 'cache read', 'cache write', 'price'] as const;

/** Draws an account as a table, or where that is too wide as a few lines for each sum; below it what is not in the sums. */
export function renderCosts({ lines, total }: Account, look: Look): string {
  const labels = lines.map(({ label }) => clean(label));
  const numbers = [HEADINGS.slice(1), ...lines.map(({ cost }) => cellsOf(cost))];
  const tails = columns(rightAligned(numbers, look), look);
  const room = look.width - widest(tails, look.ruler) - GAP_COLUMNS;
  const drawn = room < LABEL_COLUMNS_MIN ? stacked(lines, look) : table(labels, tails, { room, look });
  return [...drawn, ...remarksOn(total).map((remark) => look.style.quiet(remark))].map((line) => `${line}\n`).join('');
}

/** Keeps the blanks that a label begins with: they tell that it is a part of the one above. */
function clean(label: string): string {
  return `${/^ */.exec(label)?.[0] ?? ''}${cleanLine(label)}`;
}

function table(labels: readonly string[], tails: readonly string[], { room, look }: { room: number; look: Look }) {
  const rows = ['', ...labels].map((label, place) => [cut(label, room, look), tails[place] ?? '']);
  return columns(rows, look).map((line, place) => (place === 0 ? look.style.quiet(line) : line));
}

/** All but the last column end at the same place, as numbers do. */
function rightAligned(rows: readonly (readonly string[])[], look: Look): string[][] {
  const widths = (rows[0] ?? []).map((_, place) =>
    widest(
      rows.map((row) => row[place] ?? ''),
      look.ruler,
    ),
  );
  return rows.map((row) =>
    row.map((cell, place) => (place === row.length - 1 ? cell : cell.padStart(widths[place] ?? 0))),
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
  const named = cells.map((cell, place) => ({ name: HEADINGS[place + 2] ?? '', cell }));
  const told = named.filter(({ name, cell }) => !(name.startsWith('cache') && cell === '0'));
  return [count(cost.requests, 'request'), ...told.map(({ name, cell }) => `${name} ${cell}`)];
}

/** Facts in as few lines as they fit in, none of them cut apart. */
function wrapped(facts: readonly string[], room: number): string[] {
  const made: string[] = [];
  for (const fact of facts) {
    const last = made.at(-1);
    const longer = `${last}, ${fact}`;
    if (last === undefined || longer.length + 1 > room) made.push(fact);
    else made[made.length - 1] = longer;
  }
  return made.map((line, place) => (place === made.length - 1 ? line : `${line},`));
}

function cellsOf(cost: CostSum): string[] {
  const written = cost.tokens_cache_write_5m + cost.tokens_cache_write_1h;
  const tokens = [cost.tokens_in, cost.tokens_out, cost.tokens_cache_read, written];
  const told = isTold(cost, cost.unknown_usage) ? tokens.map(formatNumber) : tokens.map(() => untold(cost));
  return [formatNumber(cost.requests), ...told, priceOf(cost)];
}

/** Whether anything is known: it is nothing where nothing was asked, but not where all that was asked is unknown. */
function isTold(cost: CostSum, unknown: number): boolean {
  return cost.requests === 0 || unknown < ended(cost);
}

function untold(cost: CostSum): string {
  return ended(cost) === 0 ? 'not yet' : 'unknown';
}

function ended({ requests, running }: CostSum): number {
  return requests - running;
}

/** What is not known is never shown as nothing. */
function priceOf(cost: CostSum): string {
  const { unknown_price: unknown, price_microdollars: price } = cost;
  const times = unknown === 0 ? '' : ` for ${formatNumber(unknown)}`;
  if (!isTold(cost, unknown)) return `${untold(cost)}${times}`;
  return unknown === 0 ? formatPrice(price) : `${formatPrice(price)}, unknown${times}`;
}

/** A price in dollars, with as many digits as say something. */
export function formatPrice(microdollars: number): string {
  if (microdollars === 0) return '$0';
  const dollars = microdollars / MICRODOLLARS;
  if (dollars < 0.0001) return '<$0.0001';
  // What would be rounded up to a dollar has two digits like a dollar.
  if (dollars < 0.99995) return `$${dollars.toFixed(4)}`;
  const [whole = '', cents = ''] = dollars.toFixed(2).split('.');
  return `$${formatNumber(Number(whole))}.${cents}`;
}

/** What has to be known to read the sums rightly. */
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
