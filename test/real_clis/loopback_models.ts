import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicFrames } from '../support/model/anthropic_frames.js';
import { geminiFrames } from '../support/model/gemini_frames.js';
import { openaiFrames } from '../support/model/openai_frames.js';
import { responsesFrames } from '../support/model/responses_frames.js';
import type { Script } from '../support/model/script.js';
import { replyTo } from './scripted_reply.js';
import { requestIn, type SentRequest } from './sent_turns.js';

/** What a server was asked, in order, and how many requests it is still answering. */
export interface LoopbackModels {
  origin: string;
  requests: SentRequest[];
  /** Everything that came, also what is no request to a model. */
  paths: string[];
  close(): Promise<void>;
}

/** A model server on loopback that answers what the message itself says, and is not strict: each agent sends what it likes. */
export async function openLoopbackModels(): Promise<LoopbackModels> {
  const requests: SentRequest[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    paths.push(`${request.method} ${request.url}`);
    const body = objectIn(await textOf(request));
    const isModel = /\/(messages|responses|chat\/completions)$|:(streamG|g)enerateContent$/.test(path);
    if (request.method !== 'POST' || !isModel || body === null) {
      respondJson(response, { status: isModel ? 400 : 404, body: { error: { message: 'Not Found' } } });
      return;
    }
    const one = requestIn(path, body);
    requests.push(one);
    deliver(response, { path, body, script: replyTo(one) });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ origin: `http://127.0.0.1:${port}`, requests, paths },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Delivery {
  path: string;
  body: Record<string, unknown>;
  script: Script;
}

function deliver(response: ServerResponse, { path, body, script }: Delivery): void {
  if (script.kind === 'fail') {
    const { status, message } = script;
    respondJson(response, { status, body: { type: 'error', error: { type: 'error', code: status, message } } });
    return;
  }
  const isWhole = body.stream !== true && !path.includes('streamGenerateContent');
  if (isWhole) {
    respondJson(response, { status: 200, body: wholeAnswer(path, script) });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of framesOf(path, body, script)) response.write(frame);
  if (script.kind !== 'hang') response.end();
}

function framesOf(path: string, body: Record<string, unknown>, script: Script): string[] {
  if (path.endsWith('/messages')) return anthropicFrames(script, null);
  if (path.endsWith('/responses')) return responsesFrames(script).map(withNamespace);
  if (path.endsWith('/chat/completions')) return openaiFrames(script, body);
  return geminiFrames(script, { model: null, cached: null });
}

/** Codex' tools of servers have a namespace beside their name. */
function withNamespace(frame: string): string {
  return frame.replaceAll(/"name":"(mcp__[a-z]+)__(\w+)"/g, '"namespace":"$1","name":"$2"');
}

/** Side requests, such as for a title, do not stream: they get a word. */
function wholeAnswer(path: string, script: Script): object {
  const text = script.parts.map((part) => ('text' in part ? part.text : '')).join('');
  const usage = { input_tokens: 100, output_tokens: 42 };
  if (path.endsWith('/messages')) {
    const content = [{ type: 'text', text }];
    return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', usage };
  }
  if (path.endsWith('/chat/completions')) {
    return {
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    };
  }
  return { candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }] };
}

function respondJson(response: ServerResponse, { status, body }: { status: number; body: object }): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null; // compressed, or no JSON at all
  }
}
