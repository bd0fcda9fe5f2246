import type { NodeId } from '../../protocol/node.js';
import { outputTokensMax } from '../model/output_limit.js';
import type { ModelEvent, ModelRequest } from '../model/provider.js';
import { thinkingOf, toolsIn } from '../settings/settings.js';
import type { RunningTurn } from '../turn/running_turn.js';
import { askModel, type ModelReply } from './ask_with_retries.js';
import { cacheLifetime } from './cache_lifetime.js';
import { cacheMarks } from './cache_marks.js';
import { withoutImages } from './left_out_images.js';
import { promptOf } from './prompt.js';
import type { RequestCost, RequestId } from './request_ledger.js';
import type { Requester } from './requester.js';
import { addRequest } from './spending.js';

export interface Sending {
  request: ModelRequest;
  /** The id that the answer will have. */
  node: NodeId;
  /** Of each attempt, a promise that resolves when it is in the account. */
  counted: Promise<void>[];
  /** Whether clients see the answer while it comes. */
  isStreamed: boolean;
}

/** The request for the path as it is. */
export function requestFor(work: Requester): ModelRequest {
  const { turn, settings, model, access, loadImage, path, bindings } = work;
  const { system_prompt, messages: all } = promptOf(path, { current: settings.settings, bindings });
  const messages = work.sendsImages ? all : withoutImages(all);
  return {
    model: model.model,
    systemPrompt: system_prompt,
    tools: toolsIn(settings.settings),
    messages,
    outputTokensMax: outputTokensMax(model, thinkingOf(settings.settings)),
    thinking: thinkingOf(settings.settings),
    cache: { messages: cacheMarks(messages), lifetime: cacheLifetime(path, work.cache) },
    conversation: turn.tree,
    loadImage,
    ...access,
  };
}

/** Sends a request, again where that helps, and puts every attempt into the account. */
export function sendRequest(work: Requester, { request, node, counted, isStreamed }: Sending): Promise<ModelReply> {
  const { turn, account, provider, timers, random } = work;
  const activity = turn.activity === 'compacting' ? 'compacting' : 'waiting';
  let current: RequestId | null = null;
  return askModel(
    {
      ...{ provider, request, timers, random },
      on: {
        sent(attempt, answer) {
          const id = account.begin(turn.tip);
          current = id;
          turn.activity = activity;
          if (turn.step !== null) turn.step.answer = answer;
          turn.emit({ kind: 'request_started', turn: turn.id, request: id, node, attempt });
          return (ending) => {
            counted.push(count(turn, id, account.end(id, node, ending)));
          };
        },
        heard: (event) => {
          if (isStreamed) emitEvent(turn, event);
        },
        failed({ message, data }, retry_in_ms) {
          turn.activity = 'retrying';
          if (current === null) return;
          turn.emit({ kind: 'request_failed', turn: turn.id, request: current, message, data, retry_in_ms });
        },
        restarted: (attempt) => {
          if (isStreamed) turn.emit({ kind: 'answer_restarted', turn: turn.id, attempt });
        },
      },
    },
    turn.signal,
  );
}

async function count(turn: RunningTurn, request: RequestId, cost: Promise<RequestCost>): Promise<void> {
  const { usage, price } = await cost;
  addRequest(turn.spending, usage, price);
  const isUsed = usage !== null && Object.values(usage).some((tokens) => tokens > 0);
  if (isUsed) turn.emit({ kind: 'usage_counted', turn: turn.id, request, usage, price_microdollars: price });
}

function emitEvent(turn: RunningTurn, event: ModelEvent): void {
  turn.activity = 'answering';
  if (event.kind === 'text') turn.emit({ kind: 'text_added', turn: turn.id, text: event.text });
  else if (event.kind === 'thinking') turn.emit({ kind: 'thinking_added', turn: turn.id, text: event.text });
  else if (event.kind === 'call_begun') {
    turn.emit({ kind: 'call_announced', turn: turn.id, call: event.id, tool: event.tool });
  }
}
