import { callText } from '../../../../hub/base/call_title.js';
import { textOf } from '../../../../hub/base/node_blocks.js';
import type { ResultOf } from '../../../../hub/protocol/methods/method_table.js';
import type { Question } from '../../../../hub/protocol/question.js';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import type { LiveTurn } from './source.js';

type Status = ResultOf<'agent.status'>['turns'][number];

/** A turn, with its last node by its id: who shows it looks up the number. */
export type KnownTurn = Omit<LiveTurn, 'tip'> & { tip: string };
export type KnownTurns = ReadonlyMap<string, KnownTurn>;

/** The turns that run, as the hub lists them; what one of them says so far is kept. */
export function listedTurns(turns: KnownTurns, listed: readonly Status[]): KnownTurns {
  // One that another hub has is not known to run while that cannot be asked.
  const known = listed.filter(({ seen_at_ms }) => seen_at_ms === undefined);
  return new Map(
    known.map((one) => {
      const before = turns.get(one.turn) ?? newTurn(one, one.started_at_ms);
      const activity = ACTIVITIES[one.activity] ?? before.activity;
      const price = one.price_microdollars ?? before.price_microdollars;
      const tokens = one.usage === null ? before.tokens : one.usage.tokens_in + one.usage.tokens_out;
      const questions = openOf(one.questions);
      const times = { started_at_ms: one.started_at_ms, price_microdollars: price, tokens };
      return [one.turn, { ...before, ...times, tip: one.tip, activity, questions, by: one.by ?? null }];
    }),
  );
}

const ACTIVITIES: Readonly<Partial<Record<Status['activity'], LiveTurn['activity']>>> = {
  starting: 'waiting',
  compacting: 'waiting',
  waiting: 'waiting',
  retrying: 'waiting',
  asking: 'asking',
  calling: 'calling',
  answering: 'answering',
};

/** The turns after an event: a pure function. */
export function afterEvent(turns: KnownTurns, event: AgentEvent, nowMs: number): KnownTurns {
  if (event.kind === 'turn_ended') return without(turns, event.turn);
  if (event.kind === 'turn_started') return withTurn(turns, newTurn({ ...event, tip: event.node }, nowMs));
  const known = turns.get(event.turn);
  if (event.kind === 'turn_snapshot' || event.kind === 'turn_resumed') {
    const turn = { ...(known ?? newTurn(event, nowMs)), tip: event.tip, questions: [] };
    return withTurn(
      turns,
      event.kind === 'turn_resumed' ? { ...turn, activity: 'waiting' } : { ...turn, ...stepOf(event) },
    );
  }
  if (known === undefined) return turns;
  const change = changeBy(event, known);
  return change === null ? turns : withTurn(turns, { ...known, ...change });
}

type Snapshot = Extract<AgentEvent, { kind: 'turn_snapshot' }>;

/** What the step under way has come to. */
function stepOf({ step }: Snapshot): Pick<KnownTurn, 'text' | 'call' | 'activity'> {
  if (step === null) return { text: '', call: null, activity: 'waiting' };
  const running = step.calls.find(({ state }) => state === 'running');
  const call = running === undefined ? null : { tool: running.tool, title: callText(running.input) };
  return { text: textOf(step.blocks, '\n'), call, activity: call === null ? 'answering' : 'calling' };
}

function changeBy(event: AgentEvent, known: KnownTurn): Partial<KnownTurn> | null {
  switch (event.kind) {
    case 'request_started':
    case 'answer_restarted':
      return { activity: 'waiting', text: '', call: null };
    case 'text_added':
      return { activity: 'answering', text: known.text + event.text };
    case 'thinking_added':
      return { activity: 'thinking' };
    case 'call_started':
      return { activity: 'calling', call: { tool: event.tool, title: callText(event.input) } };
    case 'call_ended':
      return { call: null };
    case 'model_replaced':
      return { model: shortModel(event.model) };
    case 'usage_counted':
      return {
        tokens: known.tokens + event.usage.tokens_in + event.usage.tokens_out,
        price_microdollars: known.price_microdollars + (event.price_microdollars ?? 0),
      };
    case 'step_committed':
      return { tip: event.tip, text: '', call: null };
    case 'input_taken':
    case 'context_compacted':
      return { tip: event.tip };
    case 'turn_parked':
      return { activity: 'asking', call: null, tip: event.outcome.tip, questions: openOf(event.outcome.questions) };
    case 'question_answered':
      return { questions: known.questions.filter(({ id }) => id !== event.id) };
    default:
      return null;
  }
}

function openOf(questions: readonly Question[]): LiveTurn['questions'] {
  return questions.filter(({ answer }) => answer === null);
}

function newTurn({ turn, tip, model }: { turn: string; tip: string; model: string }, startedAtMs: number): KnownTurn {
  return {
    ...{ turn, tip, model: shortModel(model), activity: 'waiting', started_at_ms: startedAtMs },
    ...{ by: null, tokens: 0, price_microdollars: 0, text: '', call: null, questions: [] },
  };
}

function shortModel(model: string): string {
  return model.split('/').at(-1) ?? model;
}

function withTurn(turns: KnownTurns, turn: KnownTurn): KnownTurns {
  return new Map([...turns, [turn.turn, turn]]);
}

function without(turns: KnownTurns, turn: string): KnownTurns {
  return new Map([...turns].filter(([id]) => id !== turn));
}
