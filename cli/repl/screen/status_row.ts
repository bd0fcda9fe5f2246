import type { Look } from '../../render/look/look.js';
import { renderStatus, type StatusFacts } from '../../render/screens/status_line.js';
import type { Status } from '../front/front.js';

/** The status row: mode, cost, grants and position. */
export function statusRow(status: Status, mode: StatusFacts['mode'], look: Look): string {
  const { tokens, totalTokens } = status;
  const { network, unsandboxed, jobs, unsent, model, thinking, activity, contextShare, cost, name, position } = status;
  return renderStatus(
    {
      ...{ mode, activity, unsandboxed, jobs, unsent, model, thinking, cost, contextShare },
      // In plan mode grants have no effect.
      network: network && activity === 'Execute',
      tokens: {
        last: { in: tokens.input, cached: tokens.cached, out: tokens.output },
        total: { in: totalTokens.input, out: totalTokens.output },
      },
      place: { name, node: position },
    },
    look,
  );
}
