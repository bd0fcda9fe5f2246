import type { Look } from '../look/look.js';
import { formatKnownPrice } from '../reports/cost_table.js';
import { cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { count } from '../text/ids_and_counts.js';

interface Tokens {
  in: number;
  /** How many of those in were read from a cache. */
  cached: number;
  out: number;
}

/** The facts of the row at the bottom. */
export interface StatusFacts {
  mode: 'INSERT' | 'NORMAL' | 'COMMAND';
  activity: 'Plan' | 'Execute';
  /** Of the last request, and of all. */
  tokens: { last: Tokens; total: Pick<Tokens, 'in' | 'out'> };
  network: boolean;
  unsandboxed: boolean;
  /** How many commands of models run in the background. */
  jobs: number;
  /** What has not been sent to a remote; null when all has. */
  unsent: string | null;
  /** Null where there is no model. */
  model: string | null;
  /** How much it thinks; null, and `auto`, are not shown. */
  thinking: string | null;
  /** The used share of the context window, from 0 to 1. */
  contextShare: number | null;
  /** What is known of the price; null before anything has been paid for. */
  cost: { microdollars: number; isWhole: boolean } | null;
  /** The position: the conversation, and the short id of the node in it. */
  place: { name: string; node: string } | null;
}

/** A longer name is cut before any other part is dropped. */
const NAME_COLUMNS_MAX = 20;

interface Part {
  text: string;
  ink: (text: string) => string;
}

/**
 * `[ MODE ] [ ACTIVITY ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: off ]`, then model, share of the context, price
 * and position; no tokens before any were used. Where that is too wide they are dropped, the position is shortened and dropped, then the activity:
 * model, share and price stay where 80 columns are. The network and UNSANDBOXED stay to the end.
 */
export function renderStatus(status: StatusFacts, look: Look): string {
  const room = look.width - 1;
  const all = shortenings(status, look);
  const fitting = all.find((parts) => columnsOf(parts, look) <= room);
  if (fitting !== undefined) return fitting.map(({ text, ink }) => ink(text)).join(' ');
  return cut((all.at(-1) ?? []).map(({ text }) => text).join(' '), room, look);
}

function columnsOf(parts: readonly Part[], look: Look): number {
  return look.ruler.width(parts.map(({ text }) => text).join(' '));
}

/** The variants of the line, from the longest to the shortest. */
function shortenings(status: StatusFacts, look: Look): Part[][] {
  const { style } = look;
  const { last, total } = status.tokens;
  const tokens = `i:${last.in}(c:${last.cached}) o:${last.out}`;
  const plain = (text: string | null): Part[] => (text === null || text === '' ? [] : [{ text, ink: (same) => same }]);
  const mode = plain(`[ ${status.mode} ]`);
  const activity = plain(`[ ${status.activity} ]`);
  const isCounted = last.in + last.out + total.in + total.out > 0;
  const whole = plain(isCounted ? `[ ${tokens} | total i:${total.in} o:${total.out} ]` : null);
  const short = plain(isCounted ? `[ ${tokens} ]` : null);
  const net: Part[] = [{ text: `[ NET: ${netOf(status)} ]`, ink: status.network ? style.failure : style.good }];
  const unsafe: Part[] = status.unsandboxed ? [{ text: 'UNSANDBOXED', ink: style.failure }] : [];
  const behind = plain(status.unsent === null ? null : cleanLine(status.unsent));
  const held = [...unsafe, ...plain(status.jobs === 0 ? null : count(status.jobs, 'job')), ...behind];
  const name = status.model === null ? 'no model' : cleanLine(status.model);
  const [model, shortModel] = [plain(name), plain(name.slice(name.indexOf('/') + 1))];
  const thinking = plain(status.thinking === null || status.thinking === 'auto' ? null : `thinking:${status.thinking}`);
  const share = plain(status.contextShare === null ? null : `${Math.round(status.contextShare * 100)}%`);
  const cost = plain(status.cost === null ? null : formatKnownPrice(status.cost));
  const wholePlace = plain(placeOf(status, Number.POSITIVE_INFINITY, look));
  const place = plain(placeOf(status, NAME_COLUMNS_MAX, look));
  const node = plain(status.place === null ? null : `at ${status.place.node}`);
  const shortNet: Part[] = net.map(({ ink }) => ({ text: `NET:${netOf(status)}`, ink }));
  const plan = status.activity === 'Plan' ? activity : [];
  const facts = [...shortModel, ...thinking, ...share, ...cost];
  return [
    [...mode, ...activity, ...whole, ...net, ...held, ...model, ...thinking, ...share, ...cost, ...wholePlace],
    [...mode, ...activity, ...whole, ...net, ...held, ...model, ...thinking, ...share, ...cost, ...place],
    [...mode, ...activity, ...short, ...net, ...held, ...model, ...thinking, ...share, ...cost, ...place],
    [...mode, ...activity, ...net, ...held, ...model, ...thinking, ...share, ...cost, ...place],
    [...mode, ...activity, ...net, ...held, ...facts, ...place],
    [...mode, ...activity, ...net, ...held, ...facts, ...node],
    [...mode, ...activity, ...net, ...held, ...facts],
    [...mode, ...plan, ...net, ...held, ...facts],
    [...mode, ...plan, ...shortNet, ...held, ...shortModel, ...share, ...cost],
    [...mode, ...shortNet, ...held, ...share, ...cost],
    [...plain(status.mode), ...shortNet, ...unsafe, ...share],
    [...plain(status.mode), ...shortNet, ...unsafe],
    [...shortNet, ...unsafe],
  ];
}

function placeOf({ place }: StatusFacts, nameColumns: number, look: Look): string | null {
  return place === null ? null : `${cut(cleanLine(place.name), nameColumns, look)} at ${place.node}`;
}

function netOf({ network }: StatusFacts): string {
  return network ? 'on' : 'off';
}
