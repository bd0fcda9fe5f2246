import { detach, neverFails } from '../../base/detach.js';
import type { HubError } from '../../base/error.js';
import { writtenText } from '../../base/node_blocks.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { NodeId } from '../../protocol/node.js';
import { RequestId as RequestIdSchema } from '../../protocol/usage.js';
import type { ModelAtServer } from '../model/model_names.js';
import { loadPriceTable } from '../model/price_table.js';
import type { TokenUsage } from '../model/provider.js';
import type { Answer } from './answer.js';
import { microdollars, type UsageCount, usageRow } from './spending.js';

const BYTES_PER_TOKEN = 4;

export type RequestId = ReturnType<typeof RequestIdSchema.parse>;
type Outcome = ParsedOf<'loom.request_end'>['outcome'];

/** How a request ended, and the answer until then. */
export interface RequestEnding {
  outcome: Extract<Outcome, 'ok' | 'stopped' | HubError['kind']>;
  answer: Answer;
  /** Whether a server refused it before it answered anything: then nothing was used. */
  isRefused: boolean;
}

/** What a request used and cost, as far as that is known. */
export interface RequestCost {
  usage: UsageCount | null;
  price: number | null;
  estimate: boolean;
}

export interface AccountParts {
  /** Calls another part of the hub. */
  call<M extends 'loom.request_start' | 'loom.request_end'>(method: M, params: ParsedOf<M>): Promise<ResultOf<M>>;
  turn: ParsedOf<'loom.request_start'>['turn'];
  model: ModelAtServer;
  nowMs(): number;
  newId(): string;
  /** A row that cannot be written must not end what is paid for already. */
  failed(error: unknown): void;
}

/** The rows of the requests of one turn. */
export interface Account {
  begin(parent: NodeId): RequestId;
  /** Resolves when the row is written, or never will be. */
  end(request: RequestId, node: NodeId, ending: RequestEnding): Promise<RequestCost>;
}

/** Opens the account of a turn. Rows are written beside the requests: no request waits for a row. */
export function openAccount({ call, turn, model, nowMs, newId, failed }: AccountParts): Account {
  let last: Promise<unknown> = Promise.resolve();
  // Never rejects: what goes wrong is said by `failed`.
  const inOrder = (write: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(write).catch(failed);
    return last;
  };
  return {
    begin(parent) {
      const id = RequestIdSchema.parse(newId());
      const { provider, model: name } = model;
      detach(
        inOrder(() => call('loom.request_start', { id, turn, parent, provider, model: name })),
        neverFails,
      );
      return id;
    },
    async end(request, node, ending) {
      const cost = await costOf(ending, model, nowMs()).catch((error: unknown) => {
        failed(error);
        return { usage: null, price: null, estimate: false };
      });
      const { usage, price: price_microdollars, estimate } = cost;
      const row = { request, outcome: ending.outcome, usage, price_microdollars, estimate, node };
      await inOrder(() => call('loom.request_end', row));
      return cost;
    },
  };
}

const NOTHING_USED: RequestCost = {
  usage: usageRow({ input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }),
  ...{ price: 0, estimate: false },
};

async function costOf(ending: RequestEnding, model: ModelAtServer, atMs: number): Promise<RequestCost> {
  const { answer, outcome } = ending;
  const isCut = outcome !== 'ok';
  if (ending.isRefused && answer.usage === null) return NOTHING_USED;
  const isFree = model.record.prices.kind === 'free';
  if (answer.usage === null) return { usage: null, price: isFree ? 0 : null, estimate: false };
  const usage = isCut ? withReceived(answer.usage, answer) : answer.usage;
  const prices = await loadPriceTable();
  return { usage: usageRow(usage), price: microdollars(prices.cost(model, usage, atMs)), estimate: isCut };
}

/** The usage of an answer that was cut off: the server has counted only its beginning. */
function withReceived(usage: TokenUsage, { blocks }: Answer): TokenUsage {
  const bytes = blocks.reduce((sum, block) => sum + Buffer.byteLength(writtenText(block) ?? '{}'), 0);
  return { ...usage, output: Math.max(usage.output, Math.ceil(bytes / BYTES_PER_TOKEN)) };
}
