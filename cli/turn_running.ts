import { HubError } from '../hub/error.js';
import type { ParamsOf } from '../hub/protocol/methods.js';
import type { TurnId } from '../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../hub/protocol/turn.js';
import type { Context } from './context.js';
import { EXIT } from './failure.js';
import { interruptible } from './interruption.js';
import type { TurnOutput } from './turn_output.js';

/** How a turn ended for who waited: null when it never began, and the exit code of the signal that ended it or us. */
export interface TurnWaited {
  outcome: TurnOutcome | null;
  interrupted: number | null;
}

type Asked = Omit<ParamsOf<'agent.run'>, 'stream' | 'id'> & { id: TurnId };

/** Runs a turn to its end. The first signal stops it, and its end is waited for, so that what was said is kept. */
export function runTurn(context: Context, asked: Asked, output: TurnOutput): Promise<TurnWaited> {
  return waitedFor(context, asked.id, output, (client, options) => client.stream('agent.run', asked, options));
}

/** Watches a turn that runs already to its end, in the same way. */
export function followTurn(context: Context, turn: TurnId, output: TurnOutput): Promise<TurnWaited> {
  return waitedFor(context, turn, output, async (client, options) => {
    const { outcome } = await client.stream('agent.follow', { turn }, options);
    if (outcome === null) throw new HubError('internal', `the turn ${turn} has no outcome`);
    return outcome;
  });
}

type Client = Awaited<ReturnType<Context['client']>>;
type Options = { onEvent(event: AgentEvent): Promise<void>; signal: AbortSignal };

async function waitedFor(
  context: Context,
  turn: TurnId,
  ...[output, call]: [TurnOutput, (client: Client, options: Options) => Promise<TurnOutcome>]
): Promise<TurnWaited> {
  const client = await context.client();
  const abort = new AbortController();
  const stop = (): void => {
    output.hurry();
    // One that is not known has not begun.
    client.call('agent.stop', { turn }).catch(() => abort.abort());
  };
  const attempt = (): Promise<TurnOutcome> => call(client, { onEvent: output.take, signal: abort.signal });
  const { result, interrupted } = await interruptible(() => attempt().catch(unless(abort.signal)), stop);
  await output.end(result);
  return { outcome: result, interrupted };
}

/** A failure is none when it was asked for. */
function unless(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) return null;
    throw error;
  };
}

/** Says why a turn is not at its end, and what to do; returns the exit code. A failure is thrown. */
export function tellEnd(context: Context, { outcome, interrupted }: TurnWaited): number {
  if (outcome === null) {
    context.note('It was interrupted before it began.');
    return interrupted ?? EXIT.failure;
  }
  if (outcome.failure !== null) throw failureOf(outcome);
  if (outcome.state === 'done') return interrupted ?? EXIT.ok;
  const [words, code] = END_WORDS[outcome.why ?? 'hub_ended'];
  context.note(`${words}. Go on with: cognition ask --continue`);
  return interrupted ?? code;
}

const END_WORDS: Record<NonNullable<TurnOutcome['why']>, readonly [string, number]> = {
  answered: ['It has answered', EXIT.ok],
  iterations: ['Stopped: it has given as many answers as it may', EXIT.limit],
  tokens: ['Stopped: it has used as many tokens as it may', EXIT.limit],
  cost: ['Stopped: it has cost as much as it may', EXIT.limit],
  time: ['Stopped: its time is over', EXIT.limit],
  max_tokens: ['Stopped: the answer was longer than the model may write at once', EXIT.limit],
  refused: ['The model refused to go on. Ask otherwise', EXIT.failure],
  empty: ['The model said nothing', EXIT.failure],
  context_too_long: ['Stopped: the conversation is longer than the model can read', EXIT.network],
  asked: ['Interrupted', EXIT.interrupted],
  hub_ended: ['Interrupted: the hub has ended', EXIT.unreachable],
  failed: ['It failed', EXIT.failure],
};

function failureOf({ failure, turn, tip }: TurnOutcome): HubError {
  const { kind = 'internal', hint = null, retryable = false } = failure?.data ?? {};
  const more = kind === 'approval_needed' ? '; or accept what that means: --no-sandbox' : '';
  return new HubError(kind, failure?.message ?? 'the turn failed', {
    hint: `${hint ?? 'go on with: cognition ask --continue'}${more}`,
    retryable,
    details: { turn, tip },
  });
}
