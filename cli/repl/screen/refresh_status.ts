import { detach } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { thinkingHere } from '../commands/thinking.js';
import { reachOf } from '../conversation/chat_turn_options.js';
import type { Conversation } from '../conversation/conversation.js';
import { failureOn } from '../conversation/conversation_parts.js';
import { openQuestion } from '../conversation/open_question.js';
import type { Status } from '../front/front.js';
import type { Repl } from '../repl.js';
import { isPlanning } from '../tree/plan_mode.js';

/** Loads the status of the position: mode, model, fill of its window, cost. */
export interface StatusRefresh {
  /** Reloads; calls during a reload cause one more. */
  refresh(): void;
}

/** Whether an event may change the status. */
export function isAboutPlace(change: Partial<Status>): boolean {
  return 'position' in change || 'turn' in change || Object.keys(change).length === 0;
}

/** Slower estimates are made only between turns: each step would need one. */
const ESTIMATE_MS_MAX = 200;

export function createStatusRefresh(repl: Repl): StatusRefresh {
  let isAsking = false;
  let isDue = false;
  let estimateMs = 0;

  async function ask(): Promise<void> {
    const { front, client, conversation } = repl;
    const here = conversation();
    const planning = await isPlanning(repl);
    front.update({ activity: planning ? 'Plan' : 'Execute', thinking: await thinkingHere(repl) });
    if (!here.isMade()) return front.update({ contextShare: null, cost: null, asks: null });
    const open = await openQuestion(client, here);
    front.update({ asks: open?.question.kind ?? null });
    const { total } = await client.call('loom.cost_get', { tree: here.place.tree });
    if (conversation() !== here) return;
    front.update(spentOf(total));
    await estimate(here);
  }

  async function estimate(here: Conversation): Promise<void> {
    const { turnOptions, front, client, conversation } = repl;
    if (here.turns.current() !== null && estimateMs > ESTIMATE_MS_MAX) return;
    const begunMs = performance.now();
    const params = { node: here.place.position(), ...reachOf(turnOptions), window: turnOptions.window };
    const { tokens, window, model } = await client.call('agent.estimate', params);
    estimateMs = performance.now() - begunMs;
    if (conversation() !== here) return;
    front.update({ contextShare: window === null ? null : tokens / window });
    // Branches may have models of their own.
    if (model !== null && here.turns.current() === null) front.update({ model });
  }

  async function askAgain(): Promise<void> {
    isAsking = true;
    // A conversation sends its first position before it is the open one.
    await Promise.resolve();
    while (isDue) {
      isDue = false;
      try {
        await ask();
      } catch (error) {
        // On failure nothing is shown; the person's next action reports it.
        if (!(error instanceof HubError)) throw error;
        repl.front.update({ contextShare: null });
      }
    }
    isAsking = false;
  }

  return {
    refresh() {
      isDue = true;
      if (!isAsking) detach(askAgain(), failureOn(repl.front));
    },
  };
}

/** The tokens and the price of a conversation; what still runs has no price yet. */
function spentOf(total: ResultOf<'loom.cost_get'>['total']): Pick<Status, 'totalTokens' | 'cost'> {
  const { tokens_in, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h, tokens_out } = total;
  const cached = tokens_cache_read;
  return {
    totalTokens: {
      input: tokens_in + cached + tokens_cache_write_5m + tokens_cache_write_1h,
      cached,
      output: tokens_out,
    },
    cost:
      total.requests === total.running
        ? null
        : { microdollars: total.price_microdollars, isWhole: total.unknown_price === 0 },
  };
}
