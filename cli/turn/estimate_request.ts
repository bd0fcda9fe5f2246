import { detach } from '../../hub/base/detach.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { estimateLine } from '../render/reports/estimate_text.js';
import { type TurnOptions, windowPreferences } from './turn_options.js';
import type { TurnOutput } from './turn_output.js';

/** A request's size is noted when it exceeds this, or this share of the window. */
const NOTED_TOKENS_MIN = 20_000;
const NOTED_SHARE_MIN = 0.5;

type Estimate = ResultOf<'agent.estimate'>;

/** Estimates the next request below a node. */
export async function estimateAt(
  context: Context,
  node: NodeId,
  { access, route, change, usual_model }: Pick<TurnOptions, 'access' | 'route' | 'change' | 'usual_model'>,
): Promise<Estimate> {
  const client = await context.client();
  const { window, cache } = windowPreferences(context);
  return client.call('agent.estimate', { node, access, route, change, usual_model, window, cache });
}

/** An estimate as one line, with times of the local clock. */
export function estimateText(estimate: Estimate): string {
  const { until_ms: untilMs } = estimate.cached;
  const until = untilMs === null ? null : new Date(untilMs).toTimeString().slice(0, 5);
  return estimateLine({ ...estimate, until });
}

/** After these events the estimate would only be in the way. */
const QUIET: readonly AgentEvent['kind'][] = ['text_added', 'call_announced', 'compaction_started', 'turn_ended'];

/** Notes the size of a large request once it has been sent; nothing waits for the estimate. */
export function withEstimateNote(context: Context, output: TurnOutput, estimate: () => Promise<Estimate>): TurnOutput {
  let isQuiet = false;
  return {
    ...output,
    take(event) {
      // A failure is ignored: the turn itself reports what is wrong.
      if (event.kind === 'request_started' && !isQuiet) detach(noteSize(), () => undefined);
      isQuiet ||= QUIET.includes(event.kind);
      return output.take(event);
    },
  };

  async function noteSize(): Promise<void> {
    const result = await estimate();
    if (!isQuiet && isLarge(result)) context.note(estimateText(result));
    isQuiet = true;
  }
}

function isLarge({ tokens, window }: Estimate): boolean {
  return tokens > NOTED_TOKENS_MIN || (window !== null && tokens > window * NOTED_SHARE_MIN);
}
