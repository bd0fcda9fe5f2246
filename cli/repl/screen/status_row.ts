import type { Look } from '../../render/look/look.js';
import { renderStatus, type StatusFacts } from '../../render/screens/status_line.js';
import type { Status } from '../front/front.js';

/** The row that tells the mode, what was spent, what is granted, and where one stands. */
export function statusRow(status: Status, mode: StatusFacts['mode'], look: Look): string {
  const { turn, total } = status.tokens;
  const { network, unsandboxed, model, activity, contextShare, costMicrodollars, name, position } = status;
  return renderStatus(
    {
      ...{ mode, activity, unsandboxed, model, costMicrodollars, contextShare },
      // Whatever is granted, plans are made without it.
      network: network && activity === 'Execute',
      tokens: {
        last: { in: turn.input, cached: turn.cached, out: turn.output },
        total: { in: total.input, out: total.output },
      },
      place: { name, node: position },
    },
    look,
  );
}
