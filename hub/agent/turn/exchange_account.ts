import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { NodeId, TurnId } from '../../protocol/node.js';
import type { ExchangeEvent, Fault, OutsideWork } from '../../protocol/outside_agent.js';
import { RequestId } from '../../protocol/usage.js';
import { parseModelName } from '../model/model_names.js';
import { loadPriceTable } from '../model/price_table.js';
import type { TokenUsage } from '../model/provider.js';
import { modelAt } from '../model/provider_access.js';
import { addRequest, microdollars, usageRow } from '../request/spending.js';
import type { RunningTurn } from './running_turn.js';

/** The longest name of a model that a row holds. */
const MODEL_LENGTH_MAX = 400;
const NOTHING: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/** What an agent used in one exchange, as one row: only it knows how many requests that were. */
export interface ExchangeAccount {
  take(event: ExchangeEvent): void;
  /** Writes the row; `node` is what the exchange became. */
  end(node: NodeId, fault: Fault | null): Promise<void>;
}

interface AccountOf {
  reach: InternalCaller;
  turn(): RunningTurn;
  work: OutsideWork;
  /** What the agent was given of the person's environment. */
  environment: Readonly<Record<string, string>>;
  parent: NodeId;
  newId(): string;
  nowMs(): number;
}

export function openExchangeAccount(parts: AccountOf): ExchangeAccount {
  const { reach, work, parent } = parts;
  const used = { ...NOTHING };
  let isCounted = false;
  let model = work.model ?? 'its own choice';
  return {
    take(event) {
      if (event.kind === 'opened' && event.model !== null) model = event.model;
      if (event.kind !== 'used') return;
      isCounted = true;
      used.input += event.input_tokens;
      used.output += event.output_tokens;
      used.cacheRead += event.cache_read_tokens;
      used.cacheWrite5m += event.cache_write_tokens;
    },
    async end(node, fault) {
      const usage = isCounted ? usageRow(used) : null;
      const price = isCounted ? await priceOfModel(parts, model, used) : null;
      const request = RequestId.parse(parts.newId());
      const turn = parts.turn();
      const turnId: TurnId = turn.id;
      const row = { turn: turnId, parent, provider: work.agent, model: model.slice(0, MODEL_LENGTH_MAX) };
      await callHub(reach, 'loom.request_start', { id: request, ...row });
      const failed = fault?.kind === 'cancelled' ? 'stopped' : 'unreachable';
      const outcome = fault === null ? 'ok' : failed;
      const told = { usage, price_microdollars: price, estimate: false, node };
      await callHub(reach, 'loom.request_end', { request, outcome, ...told });
      addRequest(turn.spending, usage, price);
      if (usage === null) return;
      turn.emit({ kind: 'usage_counted', turn: turn.id, request, usage, price_microdollars: price });
    },
  };
}

/** In microdollars; null where a subscription pays, where its server is another one, and for a model of which no price is known. */
async function priceOfModel(
  { environment, nowMs }: AccountOf,
  model: string,
  used: TokenUsage,
): Promise<number | null> {
  const names = Object.keys(environment).filter((name) => environment[name] !== '');
  const isPaidByTokens = names.some((name) => /_API_KEY$/.test(name));
  if (!isPaidByTokens || names.some((name) => /_BASE_URL$|_(OAUTH|AUTH)_TOKEN$/.test(name))) return null;
  const prices = await loadPriceTable();
  try {
    return microdollars(prices.cost(modelAt(parseModelName(model), {}), used, nowMs()));
  } catch {
    return null; // a name that nobody here knows
  }
}
