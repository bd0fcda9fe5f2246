import { expect, test } from 'vitest';
import { endOf } from '../../../../cli/repl/conversation/turn_notes.js';
import { NodeId, TreeId, TurnId } from '../../../../hub/protocol/node.js';
import type { TurnOutcome } from '../../../../hub/protocol/turn.js';

const ID = 'abcdef01-0000-4000-8000-000000000000';

/** How a turn ended that a server refused which wants to be left alone for so long. */
function refused(retry_after_ms: number): TurnOutcome {
  const data = {
    kind: 'rate_limited' as const,
    hint: 'ask something else',
    retryable: true,
    details: { retry_after_ms },
  };
  return {
    ...{
      turn: TurnId.parse(ID),
      tree: TreeId.parse(ID),
      state: 'failed',
      why: 'failed',
      tip: NodeId.parse(ID),
      text: '',
    },
    ...{ failure: { message: 'slow down', data }, usage: null, price_microdollars: null, questions: [] },
  };
}

test.each([
  [0, 'ask something else; then: /retry'],
  [1, 'it wants to be left alone for 1 minute; then: /retry'],
  [90_000, 'it wants to be left alone for 2 minutes; then: /retry'],
  [7_200_000, 'it wants to be left alone for 2 hours; then: /retry'],
])('after a wait of %i ms that a server wants, one is told what to do', (waitMs, hint) => {
  expect(endOf(refused(waitMs), '/retry')).toEqual([{ kind: 'failure', message: 'slow down', hint }]);
});
