import { detach } from '../../hub/base/detach.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { estimateLine } from '../render/reports/estimate_text.js';
import { type TurnWanted, windowWanted } from './turn_options.js';
import type { TurnOutput } from './turn_output.js';

/** A request is told of before it is answered when it is larger than this, or fills more than this part of a window. */
const TOKENS_TOLD = 20_000;
const SHARE_TOLD = 0.5;

type Estimate = ResultOf<'agent.estimate'>;

/** Estimates the next request below a node. */
export async function estimateAt(
  context: Context,
  node: NodeId,
  { access, change, usual_model }: Pick<TurnWanted, 'access' | 'change' | 'usual_model'>,
): Promise<Estimate> {
  const client = await context.client();
  const { window } = windowWanted(context);
  return client.call('agent.estimate', { node, access, change, usual_model, window });
}

/** An estimate as one line, with the time that the person's clock will show. */
export function estimateText(estimate: Estimate): string {
  const { until_ms: untilMs } = estimate.cached;
  const until = untilMs === null ? null : new Date(untilMs).toTimeString().slice(0, 5);
  return estimateLine({ ...estimate, until });
}

/** After these there is something else to read. */
const QUIET: readonly AgentEvent['kind'][] = ['text_added', 'call_announced', 'compaction_started', 'turn_ended'];

/** Says on a terminal how large a request is, once it is on its way: nothing waits for the estimate. */
export function tellingEstimate(context: Context, output: TurnOutput, estimate: () => Promise<Estimate>): TurnOutput {
  let isQuiet = false;
  return {
    ...output,
    take(event) {
      // It is only a remark; whatever is wrong, the turn itself says.
      if (event.kind === 'request_started' && !isQuiet) detach(tell(), () => undefined);
      isQuiet ||= QUIET.includes(event.kind);
      return output.take(event);
    },
  };

  async function tell(): Promise<void> {
    const found = await estimate();
    if (!isQuiet && isLarge(found)) context.note(estimateText(found));
    isQuiet = true;
  }
}

function isLarge({ tokens, window }: Estimate): boolean {
  return tokens > TOKENS_TOLD || (window !== null && tokens > window * SHARE_TOLD);
}
