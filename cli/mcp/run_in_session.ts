import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { onAbort } from '../../hub/base/abort.js';
import { callText } from '../../hub/base/call_title.js';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { AgentEvent, Level, SettingsChange, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { newTurnId } from '../position/ids.js';
import { withCommandKey } from '../turn/key_command.js';
import { modelEnvironment } from '../turn/model_access.js';
import {
  type AgentChoice,
  agentChoice,
  type FoundAgent,
  findAgent,
  listAgents,
  requireCarried,
} from '../turn/outside_agent.js';
import { endWords, keysOf } from '../turn/run_turn.js';
import { addToSession, markSession, type SessionPlace } from '../turn/session_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';
import { tellProgress } from './progress.js';
import type { RunningCalls } from './running_calls.js';
import { answerReply } from './tool_reply.js';

export interface ToolServerParts {
  context: Context;
  options: TurnOptions;
  calls: RunningCalls;
}

/** What a model is to do in a session. */
export interface SessionWork {
  tool: string;
  /** A model, or where work is to be done an agent of others. */
  model: string;
  role: string | null;
  text: string;
  session: string | null;
  files: readonly string[];
  /** Whether it only looks. */
  isReading: boolean;
}

/** Said each time: who spoke last in the session may have had another. */
const USUAL_LEVEL: Level = 'orchestrator';

/** What was seen of a run: the file of its transcript, and what it does. */
interface Seen {
  file: string | null;
  doing: string;
}

const DOING_LENGTH_MAX = 200;

/** Lets a model answer in a session, and tells meanwhile that it does. */
export async function runInSession(
  { context, options }: ToolServerParts,
  wanted: SessionWork,
  { ctx, signal }: { ctx: ServerContext; signal: AbortSignal },
): Promise<CallToolResult> {
  const client = await context.client();
  const { text, session, files } = wanted;
  const answering = await whoAnswers(client, wanted, options);
  const { change } = answering;
  const place = await addToSession(context, options, {
    ...{ session, at: null, text, files, change },
    isModel: answering.outside === undefined,
  });
  const seen: Seen = { file: null, doing: 'it begins' };
  const progress = tellProgress(ctx, () => seen.doing);
  try {
    const { tree, node } = place;
    const id = newTurnId();
    const run = { ...options, environment: modelEnvironment(), ...answering, id, tree, node, cwd: context.cwd };
    const onEvent = (event: AgentEvent): void => {
      if (event.kind === 'transcript_opened') seen.file = event.file;
      seen.doing = doingOf(event) ?? seen.doing;
      if (event.kind === 'call_started') progress.tell();
    };
    const abort = new AbortController();
    // A turn that the hub does not know has not begun.
    onAbort(signal, () => detach(client.call('agent.stop', { turn: id }), () => abort.abort()));
    const outcome = await withCommandKey(keysOf(context, options), () =>
      client.stream('agent.run', run, { onEvent, signal: abort.signal }),
    );
    await markSession(client, place, outcome);
    return replyTo(outcome, place, seen.file);
  } finally {
    progress.end();
  }
}

/** A model of ours with its settings, or the agent that its name means where work is to be done. */
async function whoAnswers(
  client: Client,
  { model, role, isReading }: SessionWork,
  { change }: TurnOptions,
): Promise<Partial<AgentChoice> & { change: Partial<SettingsChange> }> {
  const agent = isReading ? null : await agentFor(client, model);
  const usual = agent === null ? USUAL_LEVEL : 'minimal';
  const level: Level = isReading ? 'readonly' : (change?.level ?? usual);
  if (agent === null) return { change: { ...change, model, level } };
  return { change: { level }, ...agentChoice(agent, { role }) };
}

/** Null for a model that is asked without an agent: it is named with its provider, or its agent is not installed. */
async function agentFor(client: Client, name: string): Promise<FoundAgent | null> {
  const choice = await client.call('outside.choose_agent', { name });
  if (choice.kind === 'not_carried' && choice.is_ours) return null;
  const { agent, model } = requireCarried(name, choice);
  const { agents } = await listAgents(client);
  const isMissing = agents.every((one) => one.name !== agent || one.program === null);
  return isMissing && model !== null && !name.startsWith(`${agent}/`) ? null : findAgent(client, name);
}

function doingOf(event: AgentEvent): string | null {
  switch (event.kind) {
    case 'call_started':
      return `${event.tool} ${callText(event.input)}`.slice(0, DOING_LENGTH_MAX);
    case 'request_started':
      return 'it thinks';
    case 'request_failed':
      return event.message;
    default:
      return null;
  }
}

function replyTo(outcome: TurnOutcome, { session, tree }: SessionPlace, file: string | null): CallToolResult {
  const { state, why, failure, tip, text, questions } = outcome;
  if (failure !== null) {
    const { kind, hint } = failure.data;
    throw new HubError(kind, failure.message, hint === null ? {} : { hint });
  }
  const facts = { session_id: session, tree, node: tip, file, state };
  const open = questions.filter(({ answer }) => answer === null).map(({ question }) => question);
  if (state === 'waiting') {
    throw new HubError('approval_needed', `it waits for a person: ${open.join('; ')}`, {
      hint: ['a person answers with: ', cliCommand('answer', tree)],
    });
  }
  return answerReply(facts, state === 'done' ? text : `${text}\n(${endWords(why)})`.trim());
}
