import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { blocksOfType, spokenText, textOf, withSpokenText } from '../../base/node_blocks.js';
import { keptIn } from '../../base/path/sent_path.js';
import type { Block, Node, NodeId } from '../../protocol/node.js';
import { nodesTokens, pathTokens } from '../estimate/token_estimate.js';
import type { ModelRequest } from '../model/provider.js';
import type { ModelReply } from '../request/ask_with_retries.js';
import type { Requester } from '../request/requester.js';
import { requestFor, sendRequest } from '../request/send_request.js';
import { OPEN_REQUEST_LINE, openRequest } from '../request/unanswered_request.js';
import { conversationText, cutText, SUMMARY_SYSTEM_PROMPT, summaryRequest } from './compaction_prompt.js';

/** The most tokens of a summary. */
const SUMMARY_TOKENS_MAX = 16_000;
/** How often a text that is too long for its model is shortened and sent again. */
const SHORTER_MAX = 5;
const BYTES_PER_TOKEN = 4;
/** The share of a window that a text to summarise may fill: estimates may be far off. */
const TEXT_SHARE = 0.6;
/** Text beside calls of tools is a summary from this length on; otherwise it only announces the calls. */
const SUMMARY_LENGTH_MIN = 200;
/** The most that is carried over word for word. */
const CARRIED_BYTES_MAX = 131_072;

/** From this size on the newest nodes stay word for word: up to this share of the path, and not more than this. */
const KEEPING_TOKENS_MIN = 8_000;
const KEPT_SHARE = 1 / 8;
const KEPT_TOKENS_MAX = 20_000;

const BEGINNING = 'The conversation until here, summarised:';
const WAS_CUT = '(The summary was longer than it may be, and ends here.)';
const WAS_TOO_LONG = '(The conversation was too long to be summarised whole: long texts in it were cut, or left out.)';

/** The parts of a turn that summarising its path needs. */
export interface CompactionWork extends Requester {
  reach: InternalCaller;
}

export interface CompactionParams {
  /** The id that the summary will have. */
  id: NodeId;
  /** The person's instructions for the summary. */
  instructions: string | null;
  /** Tokens that fit the model; null when that is not known. */
  window: number | null;
  /** The estimated tokens of the next request. */
  tokens: number;
  /** Whether the last answer was interrupted: then its request is still open. */
  isCutOff: boolean;
  /** The first line of the summary of a branch, which goes as a message where the turn is; null for one of the path. */
  branch: string | null;
}

export interface CompactionResult {
  node: Node;
  tokens_before: number;
  tokens_after: number;
  left_out: boolean;
}

/** Has a path, or the branch that was left, summarised by its model, and continues below the summary. Returns a failure, or a stop, as an error. */
export async function compactPath(
  work: CompactionWork,
  params: CompactionParams,
): Promise<CompactionResult | HubError> {
  const { turn, path, settings } = work;
  turn.activity = 'compacting';
  turn.step = null;
  const isOfPath = params.branch === null;
  const of = isOfPath ? 'path' : 'branch';
  turn.emit({ kind: 'compaction_started', turn: turn.id, tokens: params.tokens, of });
  const counted: Promise<void>[] = [];
  const kept = isOfPath ? newestSteps(path) : 0;
  const summary = await summarise(work, { ...params, kept }, counted);
  await Promise.all(counted);
  if (summary instanceof HubError) return summary;
  const blocks = isOfPath
    ? [...keptBlocks(kept), ...summary.blocks, ...openBlocks(path, { ...params, kept })]
    : summary.blocks;
  const role = isOfPath ? 'summary' : 'user';
  const { node } = await callHub(work.reach, 'loom.node_create_text', {
    ...{ id: params.id, tree: turn.tree, parent: turn.tip, role, blocks, settings: null, turn: turn.id },
  });
  path.splice(0, path.length, node, ...path.slice(path.length - kept));
  turn.tip = node.id;
  const tokens_after = pathTokens(path, { measure: null, prefix: settings.settings });
  const sizes = { tokens_before: params.tokens, tokens_after, left_out: summary.leftOut };
  if (isOfPath) turn.emit({ kind: 'context_compacted', turn: turn.id, node: node.id, tip: node.id, ...sizes });
  return { node, ...sizes };
}

/** How many of the newest nodes of a sent path stay word for word: whole steps, as many as are small beside the rest. */
function newestSteps(path: readonly Node[]): number {
  const tokens = nodesTokens(path);
  if (tokens < KEEPING_TOKENS_MIN) return 0;
  let left = Math.min(KEPT_TOKENS_MAX, tokens * KEPT_SHARE);
  // What an earlier summary kept is not right above this one.
  const border = path[0]?.role === 'summary' ? 1 + keptIn(path) : 0;
  let start = path.length;
  for (let at = path.length - 1; at >= border && left >= 0; at -= 1) {
    left -= nodesTokens(path.slice(at, at + 1));
    const isStepsFirst = (path[at]?.step?.index ?? 0) === 0;
    if (left >= 0 && isStepsFirst) start = at;
  }
  return path.length - start;
}

function keptBlocks(nodes: number): Block[] {
  return nodes === 0 ? [] : [{ type: 'kept', nodes }];
}

/** The open request, which is carried over word for word instead of being summarised. */
function openBlocks(path: readonly Node[], { window, isCutOff, kept }: Summarising): Block[] {
  const open = openRequest(path, isCutOff, kept);
  if (open.length === 0) return [];
  // A quarter of the window: a token is 4 bytes.
  const most = Math.min(CARRIED_BYTES_MAX, window ?? CARRIED_BYTES_MAX);
  const sizes = open.map((block) => Buffer.byteLength(spokenText(block) ?? ''));
  const fits = sizes.reduce((sum, size) => sum + size, 0) <= most;
  const each = fits ? most : Math.floor(most / sizes.filter((size) => size > 0).length);
  const words = open.map((block) => withSpokenText(block, (text) => cutText(text, each)));
  return [{ type: 'text', text: OPEN_REQUEST_LINE }, ...words];
}

/** A compaction, and how many nodes at the end of the path stay as they are. */
type Summarising = CompactionParams & { kept: number };

interface Summary {
  blocks: Block[];
  leftOut: boolean;
}

async function summarise(
  work: CompactionWork,
  params: Summarising,
  counted: Promise<void>[],
): Promise<Summary | HubError> {
  const send = (request: ModelRequest): Promise<ModelReply> =>
    sendRequest(work, { request, node: params.id, counted, isStreamed: false });
  if (params.branch !== null) return summariseText(work, params, { send, share: 1 });
  const whole = wholeRequest(work, params);
  if (!fits(whole, params)) return summariseText(work, params, { send, share: 1 });
  const reply = await send(whole);
  const failure = failureOf(reply, work);
  if (failure === null) return summaryFrom(reply, false, BEGINNING);
  // As a text it has neither thinking nor images in it, which the server may not be able to read.
  if (failure.details.no_summary === true || ['thinking', 'image'].includes(String(failure.details.reason))) {
    return summariseText(work, params, { send, share: 1 });
  }
  return failure.kind === 'context_too_long' ? summariseText(work, params, { send, share: 1 / 2 }) : failure;
}

/** The next request of the turn with another end, so that a cache has nearly all of it. */
function wholeRequest(work: CompactionWork, params: Summarising): ModelRequest {
  const request = requestFor(work);
  const end = {
    role: 'user' as const,
    content: [{ type: 'text' as const, text: summaryRequest('path', params) }],
  };
  return {
    ...request,
    messages: [...request.messages, end],
    // Thinking stays on: a cache depends on it, and it needs room in the output.
    outputTokensMax:
      request.thinking === 'off' ? Math.min(SUMMARY_TOKENS_MAX, request.outputTokensMax) : request.outputTokensMax,
  };
}

function fits({ outputTokensMax }: ModelRequest, { tokens, window }: CompactionParams): boolean {
  return window === null || tokens + Math.min(outputTokensMax, window / 4) <= window;
}

interface TextSending {
  send(request: ModelRequest): Promise<ModelReply>;
  /** How much of the text is sent first. */
  share: number;
}

/** Asks for a summary of the path as a text, without tools, and of less and less of it while it is too long. */
async function summariseText(
  work: CompactionWork,
  { instructions, kept, window, branch }: Summarising,
  { send, share }: TextSending,
): Promise<Summary | HubError> {
  const { messages, ...request } = requestFor(work);
  const all = conversationText(messages, Number.POSITIVE_INFINITY);
  const fitting = window === null ? Number.POSITIVE_INFINITY : window * TEXT_SHARE * BYTES_PER_TOKEN;
  let bytesMax = Math.floor(Math.min(fitting, Buffer.byteLength(all) * share));
  for (let attempt = 1; ; attempt += 1) {
    const text = conversationText(messages, bytesMax);
    const content = [
      {
        type: 'text' as const,
        text: `${text}---\n\n${summaryRequest(branch === null ? 'path' : 'branch', { instructions, kept })}`,
      },
    ];
    const reply = await send({
      ...{ ...request, systemPrompt: SUMMARY_SYSTEM_PROMPT, tools: [], messages: [{ role: 'user', content }] },
      outputTokensMax: shorterOutput(request.outputTokensMax, window),
      thinking: 'off',
      cache: { messages: [], lifetime: '5m' },
    });
    const failure = failureOf(reply, work);
    if (failure === null) return summaryFrom(reply, text !== all, branch ?? BEGINNING);
    if (failure.kind !== 'context_too_long' || attempt === SHORTER_MAX) return failure;
    bytesMax = Math.floor(Buffer.byteLength(text) / 2);
  }
}

function shorterOutput(most: number, window: number | null): number {
  return Math.max(1, Math.floor(Math.min(SUMMARY_TOKENS_MAX, most, window === null ? most : window / 4)));
}

function failureOf({ answer, failure }: ModelReply, { turn }: CompactionWork): HubError | null {
  if (turn.signal.aborted) return new HubError('cancelled', 'the summary was given up', { cause: failure });
  if (failure !== null) return failure;
  if (answer.end === 'context_too_long') {
    return new HubError('context_too_long', 'what is to be summarised fills the window of the model');
  }
  if (answer.end === 'refused') {
    return new HubError('rejected', 'the model refused to write a summary', {
      hint: ['ask another one: ', cliCommand('compact', '--model', '<model>')],
    });
  }
  const least = blocksOfType(answer.blocks, 'call').length > 0 ? SUMMARY_LENGTH_MIN : 1;
  if (textOf(answer.blocks).trim().length >= least) return null;
  return new HubError('rejected', 'the model wrote no summary', {
    hint: ['try again, or ask another one: ', cliCommand('compact', '--model', '<model>')],
    retryable: true,
    details: { no_summary: true },
  });
}

/** The summary is the text; calls of tools beside it are neither executed nor stored. */
function summaryFrom({ answer }: ModelReply, leftOut: boolean, beginning: string): Summary {
  const lines = [
    ...(leftOut ? [WAS_TOO_LONG] : []),
    textOf(answer.blocks).trim(),
    ...(answer.end === 'max_tokens' ? [WAS_CUT] : []),
  ];
  return { blocks: [{ type: 'text', text: [beginning, ...lines].join('\n\n') }], leftOut };
}

/** Whether summarising can shorten a sent path: a single message cannot be shortened, nor a summary with what it keeps. */
export function canShrink(path: readonly Node[]): boolean {
  return path.length > 1 + keptIn(path);
}
