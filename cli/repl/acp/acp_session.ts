import type {
  AgentContext,
  ContentBlock,
  PromptResponse,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk/unstable';
import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { TurnReason } from '../../../hub/protocol/turn.js';
import type { Context } from '../../command_line/command_context.js';
import { nodeBlocks } from '../../display/block.js';
import { treeWords } from '../../render/tree/tree_list.js';
import type { TurnOptions } from '../../turn/turn_options.js';
import { modelHere } from '../commands/model_and_level.js';
import { chatTurnOptions, reachOf } from '../conversation/chat_turn_options.js';
import type { Conversation, Opened } from '../conversation/conversation.js';
import { createVerdict } from '../conversation/exit_code.js';
import { openQuestion } from '../conversation/open_question.js';
import { createRepl } from '../create_repl.js';
import { tellHubLine } from '../hub_status.js';
import { commandIn, takeLine } from '../lines/take_line.js';
import type { Repl } from '../repl.js';
import { type AcpFront, acpFront, type PromptRecord } from './acp_front.js';
import { askEditor } from './ask_editor.js';
import { refuseOther } from './editor_commands.js';
import { planEntries } from './plan_entries.js';
import { plainText, promptMessage } from './prompt_message.js';
import { turnError } from './request_errors.js';
import { type SessionOptions, sessionOptions, setMode, setOption } from './session_options.js';
import { answerChunk, replayOf } from './session_updates.js';

/** One session of an editor: an open conversation. */
export interface AcpSession {
  readonly cwd: string;
  /** Where it stands, for programs that know trees. */
  meta(): { cognition: { tree: TreeId; node: NodeId } };
  /** Null before anything was said. */
  position(): NodeId | null;
  options(): Promise<SessionOptions>;
  /** Sends all that was said on the path. */
  replay(): Promise<void>;
  prompt(prompt: readonly ContentBlock[]): Promise<PromptResponse>;
  /** Ends what its prompt began; what was said so far is kept. */
  cancel(): Promise<void>;
  setMode(mode: string): Promise<void>;
  setOption(id: string, value: unknown): Promise<SessionOptions>;
  /** Lets go of it; a turn that runs goes on. */
  close(): Promise<void>;
}

/** The editor at the other end, and what it can show. */
export interface EditorLink {
  client: AgentContext;
  hasNotices: boolean;
  hasBooleans: boolean;
  hasForms: boolean;
}

export interface AcpSessionParts {
  id: string;
  context: Context;
  client: Client;
  editor: EditorLink;
  options: TurnOptions;
  opened: Opened;
}

interface State extends Pick<AcpSessionParts, 'id' | 'editor'> {
  repl: Repl;
  here: Conversation;
  front: AcpFront;
  cwd: string;
  /** Prompts that are being answered: what comes meanwhile is said to the same turn. */
  prompts: number;
  isCancelled: boolean;
  /** Ends the question that the editor is asked. */
  asking: AbortController;
  /** What the editor was told last. */
  told: { title: string; options: string };
  send(update: SessionUpdate): Promise<void>;
}

export async function openAcpSession({
  id,
  context,
  client,
  editor,
  options,
  opened,
}: AcpSessionParts): Promise<AcpSession> {
  const { cwd } = context;
  // An editor that is gone is told nothing more; its connection ends the program.
  const send = (update: SessionUpdate): Promise<void> =>
    editor.client.notify('session/update', { sessionId: id, update }).catch(() => undefined);
  const front = acpFront({ cwd, hasNotices: editor.hasNotices, send });
  const created = createRepl({
    ...{ context, client, front, turnOptions: chatTurnOptions(options), verdict: createVerdict(false) },
    follow: 'no',
    switchTo: async () => undefined,
    leave: () => undefined,
  });
  const { repl } = created;
  const here = await created.open(opened);
  const forget = tellHubLine({ client, front, listen: () => here.listen() });
  const following = here.place.following();
  if (opened.known !== null) await here.ensure();
  if (following !== null) here.join(following);
  const state: State = {
    ...{ id, editor, repl, here, front, cwd, send },
    ...{ prompts: 0, isCancelled: false, asking: new AbortController(), told: { title: '', options: '' } },
  };
  return {
    cwd,
    meta: () => metaOf(state),
    position: () => (here.isMade() ? here.place.position() : null),
    options: () => readOptions(state),
    replay: () => replay(state),
    prompt: (prompt) => answerPrompt(state, prompt),
    cancel: () => cancel(state),
    setMode: (mode) => setMode(repl, mode),
    async setOption(option, value) {
      await setOption(repl, option, value);
      return readOptions(state);
    },
    async close() {
      forget();
      await here.close();
    },
  };
}

function metaOf({ here: { place } }: State): ReturnType<AcpSession['meta']> {
  return { cognition: { tree: place.tree, node: place.position() } };
}

async function readOptions({ repl, editor, told }: State): Promise<SessionOptions> {
  const options = await sessionOptions(repl, editor.hasBooleans);
  told.options = JSON.stringify(options);
  return options;
}

async function replay({ repl: { client }, here, cwd, send }: State): Promise<void> {
  const params = { node: here.place.position(), limit: 200 };
  for await (const node of client.pages('loom.context_get_path', params, 'nodes')) {
    for (const block of nodeBlocks(node, 'us')) for (const update of replayOf(block, cwd)) await send(update);
  }
  const open = await openQuestion(client, here);
  if (open !== null) await send(answerChunk(null, `It asks: ${open.question.question}\n\n`));
}

async function answerPrompt(state: State, prompt: readonly ContentBlock[]): Promise<PromptResponse> {
  const { here, front } = state;
  const line = plainText(prompt);
  const command = line === null ? null : commandIn(line);
  if (state.prompts === 0) {
    state.isCancelled = false;
    state.asking = new AbortController();
    front.begin(command === null ? 'message' : 'command');
  }
  state.prompts += 1;
  try {
    if (line !== null && command !== null) await runCommand(state, command.name, line);
    else await sayPrompt(state, prompt);
    // It may have been cancelled before there was a turn to stop.
    if (state.isCancelled) await here.turns.stop();
    await settle(state);
  } finally {
    state.prompts -= 1;
  }
  const record = front.record();
  if (record.failure !== null && !state.isCancelled) throw turnError(record.failure);
  if (here.isMade()) await tellWhereItStands(state);
  return {
    stopReason: state.isCancelled ? 'cancelled' : stopReason(record.ended),
    ...usageOf(record),
    _meta: metaOf(state),
  };
}

async function runCommand({ repl }: State, name: string, line: string): Promise<void> {
  refuseOther(name.toLowerCase());
  await takeLine(line, 'now', repl);
}

/** Without a model nothing is kept: an editor shows what was said as if it had been heard. */
async function sayPrompt({ repl, here }: State, prompt: readonly ContentBlock[]): Promise<void> {
  if (here.turns.current() === null) await modelHere(repl);
  await repl.speaking.sayBlocks(await promptMessage(prompt, repl.client));
}

/** Waits for the end of the turn, and asks the editor what it asks meanwhile. */
async function settle(state: State): Promise<void> {
  const { here, repl, editor, id } = state;
  for (;;) {
    await here.turns.idle();
    const open = state.isCancelled ? null : await openQuestion(repl.client, here);
    if (open === null) return;
    const { turn, question } = open;
    const { client, hasForms } = editor;
    const answer = await askEditor({ client, sessionId: id, hasForms, signal: state.asking.signal }, question);
    if (answer.kind === 'later') return state.send(answerChunk(null, `${question.question}\n\n`));
    // To cancel again does no harm, and ends only when the turn has.
    if (answer.kind === 'cancelled' || state.isCancelled) return cancel(state);
    here.turns.answer({ turn, call: question.id, answer: answer.answer });
  }
}

async function cancel(state: State): Promise<void> {
  const { here, repl } = state;
  state.isCancelled = true;
  state.asking.abort();
  if (await here.turns.stop()) return;
  const open = await openQuestion(repl.client, here);
  if (open === null) return;
  const { outcome } = await repl.client.call('agent.stop', { turn: open.turn });
  here.place.advance(outcome.tip, null);
}

const STOP_REASONS: Partial<Record<TurnReason, StopReason>> = {
  asked: 'cancelled',
  max_tokens: 'max_tokens',
  refused: 'refusal',
  iterations: 'max_turn_requests',
  tokens: 'max_turn_requests',
  cost: 'max_turn_requests',
  time: 'max_turn_requests',
};

function stopReason(ended: TurnReason | null): StopReason {
  return (ended === null ? undefined : STOP_REASONS[ended]) ?? 'end_turn';
}

function usageOf({ tokens }: PromptRecord): Pick<PromptResponse, 'usage'> {
  if (tokens === null) return {};
  const { input, cached, output } = tokens;
  return {
    usage: { inputTokens: input, outputTokens: output, cachedReadTokens: cached, totalTokens: input + output },
  };
}

/** What may have changed: title, level and options, plan, and how full the window is. */
async function tellWhereItStands(state: State): Promise<void> {
  const { repl, here, told, send } = state;
  const { client, turnOptions } = repl;
  const tree = await client.call('loom.tree_get', { tree: here.place.tree });
  const title = treeWords(tree);
  if (title !== told.title) {
    told.title = title;
    const updatedAt = new Date(tree.updated_at_ms).toISOString();
    await send({ sessionUpdate: 'session_info_update', title, updatedAt, _meta: metaOf(state) });
  }
  const before = told.options;
  const { modes, configOptions } = await readOptions(state);
  if (told.options !== before) {
    await send({ sessionUpdate: 'current_mode_update', currentModeId: modes.currentModeId });
    await send({ sessionUpdate: 'config_option_update', configOptions });
  }
  const node = here.place.position();
  if (modes.currentModeId === 'plan') {
    const { text } = await client.call('agent.plan_get', { node });
    if (text !== null) await send({ sessionUpdate: 'plan', entries: planEntries(text) });
  }
  const estimate = { node, ...reachOf(turnOptions), window: turnOptions.window };
  const { tokens, window } = await client.call('agent.estimate', estimate).catch(unknownWindow);
  if (window === null) return;
  const { total } = await client.call('loom.cost_get', { tree: here.place.tree });
  const cost = { amount: total.price_microdollars / 1_000_000, currency: 'USD' };
  await send({
    sessionUpdate: 'usage_update',
    used: tokens,
    size: window,
    ...(total.price_microdollars > 0 ? { cost } : {}),
  });
}

function unknownWindow(error: unknown): { tokens: number; window: null } {
  if (error instanceof HubError) return { tokens: 0, window: null };
  throw error;
}
