import type { Look } from '../look/look.js';
import { formatPrice } from '../reports/cost_table.js';
import { cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';

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
  /** Null where there is no model. */
  model: string | null;
  /** The used share of the context window, from 0 to 1. */
  contextShare: number | null;
  costMicrodollars: number | null;
  /** The position: the conversation, and the short id of the node in it. */
  place: { name: string; node: string } | null;
}

/** A longer name is cut before any other part is dropped. */
const NAME_COLUMNS_MAX = 20;
/** The fewest digits that are still recognised as an id. */
const ID_DIGITS_MIN = 4;

interface Part {
  text: string;
  ink: (text: string) => string;
}

/**
 * `[ MODE ] [ ACTIVITY ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: off ]`, then model, share of the context, cost
 * and position. Where that is too wide the least important part is dropped first. The position is shortened and kept nearly
 * to the end, as the network and UNSANDBOXED parts are.
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
  const whole = plain(`[ ${tokens} | total i:${total.in} o:${total.out} ]`);
  const short = plain(`[ ${tokens} ]`);
  const net: Part[] = [{ text: `[ NET: ${netOf(status)} ]`, ink: status.network ? style.good : style.failure }];
  const unsafe: Part[] = status.unsandboxed ? [{ text: 'UNSANDBOXED', ink: style.failure }] : [];
  const model = plain(status.model === null ? 'no model' : cleanLine(status.model));
  const share = plain(status.contextShare === null ? null : `${Math.round(status.contextShare * 100)}%`);
  const cost = plain(status.costMicrodollars === null ? null : formatPrice(status.costMicrodollars));
  const node = status.place?.node ?? null;
  const wholePlace = plain(placeOf(status, Number.POSITIVE_INFINITY, look));
  const place = plain(placeOf(status, NAME_COLUMNS_MAX, look));
  const shortNet: Part[] = net.map(({ ink }) => ({ text: `NET:${netOf(status)}`, ink }));
  return [
    [...mode, ...activity, ...whole, ...net, ...unsafe, ...model, ...share, ...cost, ...wholePlace],
    [...mode, ...activity, ...whole, ...net, ...unsafe, ...model, ...share, ...cost, ...place],
    [...mode, ...activity, ...short, ...net, ...unsafe, ...model, ...share, ...cost, ...place],
    [...mode, ...activity, ...short, ...net, ...unsafe, ...model, ...share, ...place],
    [...mode, ...activity, ...short, ...net, ...unsafe, ...share, ...place],
    [...mode, ...activity, ...short, ...net, ...unsafe, ...place],
    [...mode, ...activity, ...net, ...unsafe, ...share, ...place],
    [...mode, ...activity, ...net, ...unsafe, ...place],
    [...mode, ...net, ...unsafe, ...place],
    [...mode, ...net, ...unsafe, ...plain(node)],
    [...plain(status.mode), ...shortNet, ...unsafe, ...plain(node)],
    [...plain(status.mode), ...shortNet, ...unsafe, ...plain(node?.slice(0, ID_DIGITS_MIN) ?? null)],
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
