import { HubError } from '../../hub/base/error.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { Context } from '../command_line/command_context.js';
import { ask, canAsk } from '../input/ask_person.js';

/** The policy to run under; where no sandbox works, the person is asked whether the command may run without one. */
export async function usablePolicy(context: Context, policy: Policy): Promise<Policy> {
  if (policy.kind === 'open') return policy;
  const client = await context.client();
  const { sandbox } = await client.call('tools.check', {});
  if (sandbox.kind !== 'none') return policy;
  const message = `no sandbox works here${sandbox.problem === null ? '' : `: ${sandbox.problem}`}`;
  const hint = sandbox.hint ?? 'without --sandbox it runs as in your own shell';
  if (!canAsk(context)) throw new HubError('approval_needed', message, { hint });
  context.note(`There is ${message}.`);
  const answer = await ask(context, 'Run it UNSANDBOXED? [y/N]');
  if (/^y(es)?$/i.test(answer)) return { kind: 'open' };
  throw new HubError('approval_needed', 'it was not run', { hint });
}
