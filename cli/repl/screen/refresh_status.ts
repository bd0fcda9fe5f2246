import { detach } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import { reachOf } from '../conversation/chat_turn_options.js';
import type { Conversation } from '../conversation/conversation.js';
import { failureOn } from '../conversation/conversation_parts.js';
import { openQuestion } from '../conversation/open_question.js';
import type { Status } from '../front/front.js';
import type { Repl } from '../repl.js';
import { isPlanning } from '../tree/plan_mode.js';

/** Finds out what the status tells about where one stands: plan or execute, how full the model is, and the cost. */
export interface StatusRefresh {
  /** Asks again, once, however often it is called meanwhile. */
  refresh(): void;
}

/** Whether what was told means that something else may be otherwise, too. */
export function isAboutPlace(change: Partial<Status>): boolean {
  return 'position' in change || 'turn' in change || Object.keys(change).length === 0;
}

/** Where an estimate takes longer than this, it is made only while no turn runs: each step would ask for one. */
const ESTIMATE_MS_MAX = 200;

export function createStatusRefresh(repl: Repl): StatusRefresh {
  let isAsking = false;
  let isDue = false;
  let estimateMs = 0;

  async function ask(): Promise<void> {
    const { front, client, conversation } = repl;
    const here = conversation();
    const planning = await isPlanning(repl);
    front.update({ activity: planning ? 'Plan' : 'Execute' });
    if (!here.isMade()) return front.update({ contextShare: null, costMicrodollars: null, asks: null });
    const open = await openQuestion(client, here);
    front.update({ asks: open?.question.kind ?? null });
    const { total } = await client.call('loom.cost_get', { tree: here.place.tree });
    if (conversation() !== here) return;
    // A price of nothing may only mean that nobody knows it.
    const isKnown = total.requests > 0 && (total.price_microdollars > 0 || total.unknown_price === 0);
    front.update({ costMicrodollars: isKnown ? total.price_microdollars : null });
    await estimate(here);
  }

  async function estimate(here: Conversation): Promise<void> {
    const { turnOptions, front, client, conversation } = repl;
    if (here.turns.current() !== null && estimateMs > ESTIMATE_MS_MAX) return;
    const begunMs = performance.now();
    const params = { node: here.place.position(), ...reachOf(turnOptions), window: turnOptions.window };
    const { tokens, window } = await client.call('agent.estimate', params);
    estimateMs = performance.now() - begunMs;
    if (conversation() === here) front.update({ contextShare: window === null ? null : tokens / window });
  }

  async function askAgain(): Promise<void> {
    isAsking = true;
    // Another conversation tells where it begins before it is the one that is open.
    await Promise.resolve();
    while (isDue) {
      isDue = false;
      try {
        await ask();
      } catch (error) {
        // What cannot be asked is not shown: whatever is done next tells why.
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
