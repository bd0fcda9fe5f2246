import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand, extendHint } from '../../hub/base/hint.js';
import type { HintAction } from '../../hub/protocol/errors.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { TurnId } from '../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { EXIT } from '../output/failure.js';
import { renderQuestions } from '../render/node/question_text.js';
import { type CommandKeys, fetchKey, giveKey, runBeside, withCommandKey } from './key_command.js';
import type { ModelAccess } from './model_access.js';
import type { TurnOutput } from './turn_output.js';

/** How a turn ended: its outcome, null when it never began, and the exit code of the signal that interrupted it or us. */
export interface AwaitedTurn {
  outcome: TurnOutcome | null;
  interrupted: number | null;
}

type RunParams = Omit<ParamsOf<'agent.run'>, 'stream' | 'id' | 'access'> & { id: TurnId; access: ModelAccess };

/** Runs a turn to its end. The first signal stops it and awaits its end, so that its partial answer is kept. */
export function runTurn(context: Context, params: RunParams, output: TurnOutput): Promise<AwaitedTurn> {
  return awaitTurn(context, params.id, output, (client, options) =>
    withCommandKey(keysOf(context, params), () =>
      client.stream('agent.run', { ...params, gives_keys: true }, givingKeys(keysOf(context, params), client, options)),
    ),
  );
}

/** Summarises a path; the first signal cancels it. */
export function runCompaction(
  context: Context,
  params: Omit<ParamsOf<'agent.compact'>, 'stream' | 'id' | 'access'> & { id: TurnId; access: ModelAccess },
  output: TurnOutput,
): Promise<AwaitedTurn> {
  return awaitTurn(context, params.id, output, (client, options) =>
    withCommandKey(keysOf(context, params), () => client.stream('agent.compact', params, options)),
  );
}

/** Answers a question of a parked turn, and shows how it continues. */
export function runAnswer(
  context: Context,
  params: Omit<ParamsOf<'agent.answer'>, 'stream' | 'turn' | 'access'> & { turn: TurnId; access: ModelAccess },
  output: TurnOutput,
): Promise<AwaitedTurn> {
  return awaitTurn(context, params.turn, output, (client, options) =>
    withCommandKey(keysOf(context, params), () =>
      client.stream(
        'agent.answer',
        { ...params, gives_keys: true },
        givingKeys(keysOf(context, params), client, options),
      ),
    ),
  );
}

/** Watches a running turn to its end, in the same way. */
export function followTurn(context: Context, turn: TurnId, output: TurnOutput): Promise<AwaitedTurn> {
  return awaitTurn(context, turn, output, async (client, options) => {
    const { outcome } = await client.stream('agent.follow', { turn }, options);
    if (outcome === null) throw new HubError('internal', `the turn ${turn} has no outcome`);
    return outcome;
  });
}

/** What gets the keys that commands of the person's print. */
export function keysOf({ preferences }: Context, { access }: { access: ModelAccess }): CommandKeys {
  return { servers: preferences.servers, access, run: runBeside };
}

/** Refuses what a turn would refuse, before anything is made for it, and gets the key that it will need. */
export async function checkTurn(
  context: Context,
  params: Pick<ParamsOf<'agent.check'>, 'node' | 'change' | 'usual_model'> & { access: ModelAccess },
): Promise<void> {
  const client = await context.client();
  const { key_pending } = await client.call('agent.check', params);
  if (key_pending !== null) await fetchKey(keysOf(context, params), key_pending);
}

type Client = Awaited<ReturnType<Context['client']>>;
type Options = { onEvent(event: AgentEvent): Promise<void>; signal: AbortSignal };

/** The same, with the keys that sub-sessions want. */
function givingKeys(keys: CommandKeys, client: Client, { onEvent, signal }: Options): Options {
  return {
    signal,
    onEvent(event) {
      if (event.kind === 'key_wanted') detach(giveKey(keys, client, event), () => undefined);
      return onEvent(event);
    },
  };
}

async function awaitTurn(
  context: Context,
  turn: TurnId,
  ...[output, call]: [TurnOutput, (client: Client, options: Options) => Promise<TurnOutcome>]
): Promise<AwaitedTurn> {
  const client = await context.client();
  const abort = new AbortController();
  const stop = (): void => {
    output.hurry();
    // A turn that the hub does not know has not begun.
    detach(client.call('agent.stop', { turn }), () => abort.abort());
  };
  const attempt = (): Promise<TurnOutcome> => call(client, { onEvent: output.take, signal: abort.signal });
  const { result, interrupted } = await interruptible(() => attempt().catch(unless(abort.signal)), stop);
  await output.end(result);
  return { outcome: result, interrupted };
}

/** Turns a failure after an abort into null. */
function unless(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) return null;
    throw error;
  };
}

/** Notes why a turn is unfinished, and what to do; returns the exit code. A failure is thrown. */
export function reportEnd(
  context: Context,
  { outcome, interrupted }: AwaitedTurn,
  goOn = cliCommand('ask', '--continue'),
): number {
  if (outcome === null) {
    context.note('It was interrupted before it began.');
    return interrupted ?? EXIT.failure;
  }
  if (outcome.failure !== null) throw failureOf(outcome, goOn);
  if (outcome.state === 'done') return interrupted ?? EXIT.ok;
  if (outcome.state === 'waiting') {
    const open = outcome.questions.filter(({ answer }) => answer === null);
    context.note(`It waits for an answer.\n${renderQuestions(open)}`);
    return interrupted ?? EXIT.approval;
  }
  const [words, code] = END_WORDS[outcome.why ?? 'hub_ended'];
  context.note([`${words}. Go on with: `, goOn]);
  return interrupted ?? code;
}

/** Why a turn ended, in words; null means that an earlier hub ended it. */
export function endWords(why: TurnOutcome['why']): string {
  return END_WORDS[why ?? 'hub_ended'][0];
}

/** The exit code for why a turn ended. */
export function endCode(why: TurnOutcome['why']): number {
  return END_WORDS[why ?? 'hub_ended'][1];
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
  question: ['It waits for an answer', EXIT.approval],
  asked: ['Interrupted', EXIT.interrupted],
  hub_ended: ['Interrupted: the hub has ended', EXIT.unreachable],
  failed: ['It failed', EXIT.failure],
};

function failureOf({ failure, turn, tip }: TurnOutcome, goOn: HintAction): HubError {
  const { kind = 'internal', hint = null, retryable = false } = failure?.data ?? {};
  const more = kind === 'approval_needed' ? '; or accept what that means: --no-sandbox' : '';
  return new HubError(kind, failure?.message ?? 'the turn failed', {
    hint: extendHint(hint ?? ['go on with: ', goOn], more),
    retryable,
    details: { turn, tip },
  });
}
