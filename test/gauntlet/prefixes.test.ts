import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anthropicMessages } from '../../hub/agent/providers/anthropic/messages.js';
import { openaiMessages } from '../../hub/agent/providers/openai/messages.js';
import { inputItems } from '../../hub/agent/providers/responses/input_items.js';
import { newestSettings, promptOf } from '../../hub/agent/request/prompt.js';
import type { ModelMessage } from '../../hub/protocol/methods/context_methods.js';
import type { Node } from '../../hub/protocol/node.js';
import { type Appended, pathTo, settingsNamed, trees } from '../hub/agent/paths.js';
import { REQUEST, user } from '../hub/agent/providers/dialects.js';
import { anthropicViolation } from '../support/model/anthropic_rules.js';
import { openaiViolation } from '../support/model/openai_rules.js';
import { responsesViolation } from '../support/model/responses_rules.js';
import { signatureOf } from '../support/model/script.js';
import { extent } from './extent.js';

/** The least number of longer paths that are compared with one above, for each tree. */
const COMPARED_MIN = 3;

test('the request for a node is a prefix of the request for every node below it, in every format', {
  timeout: 3_600_000,
}, () => {
  const { seed, count } = extent(500);
  let compared = 0;
  const property = fc.asyncProperty(trees, async (pieces) => {
    const sent = new Map<Appended, Sent>();
    for (const piece of pieces) {
      const made = await sentFor(piece);
      sent.set(piece, made);
      compared += comparedAbove(piece, sent);
    }
  });
  return fc.assert(property, { numRuns: count, seed }).then(() => {
    expect(compared).toBeGreaterThan(count * COMPARED_MIN);
    console.log(`seed ${seed}: ${count} trees, ${compared} pairs of nodes, each the same to its last byte`);
  });
});

test('servers accept the request for any node of any tree', { timeout: 3_600_000 }, () => {
  const { seed, count } = extent(500);
  const property = fc.asyncProperty(trees, async (pieces) => {
    for (const piece of pieces) await checkAccepted(messagesOf(pathTo(piece)));
  });
  return fc.assert(property, { numRuns: count, seed });
});

/** The request for a node: as messages and in each format, printed so that merged messages grow at their ends. */
interface Sent {
  path: Node[];
  settings: ReturnType<typeof newestSettings>;
  texts: [string, string, string, string];
}

async function sentFor(piece: Appended): Promise<Sent> {
  const path = pathTo(piece);
  const settings = newestSettings(path);
  const { system_prompt, tools, messages } = promptOf(path, settingsNamed(settings));
  const head = JSON.stringify([system_prompt, tools]);
  const request = { ...REQUEST, messages, cache: { messages: [], lifetime: '5m' as const } };
  const [anthropic, openai, items] = await Promise.all([
    anthropicMessages(request, '5m'),
    openaiMessages(request),
    inputItems(request),
  ]);
  const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  const texts: Sent['texts'] = [
    head + flat(messages),
    head + flat(anthropic),
    head + withoutEnds(openai),
    head + lines,
  ];
  return { path, settings, texts };
}

/** Each part by itself, because messages of one role may be merged or follow each other. */
function flat(messages: readonly { role: string; content: readonly unknown[] }[]): string {
  return messages.flatMap(({ role, content }) => content.map((part) => `${role} ${JSON.stringify(part)}\n`)).join('');
}

/** Texts without their ends, because a format may merge the next message into this one. */
function withoutEnds(messages: Awaited<ReturnType<typeof openaiMessages>>): string {
  return messages
    .map((message) => {
      const { content } = message;
      const parts =
        typeof content === 'string' || content === null ? [{ type: 'text' as const, text: content ?? '' }] : content;
      const said = parts.map((part) => (part.type === 'text' ? part.text : part.image_url.url)).join('\n\n');
      const calls = 'tool_calls' in message ? JSON.stringify(message.tool_calls) : '';
      return `\n${message.role} ${'tool_call_id' in message ? message.tool_call_id : ''} ${said}${calls}`;
    })
    .join('');
}

/** Compares the request for a node with those for the nodes above it, and counts the comparisons. */
function comparedAbove(piece: Appended, sent: ReadonlyMap<Appended, Sent>): number {
  const own = sent.get(piece);
  let compared = 0;
  for (let at = piece.above; at !== null && own !== undefined; at = at.above) {
    const above = sent.get(at);
    if (above === undefined || hasSummary(own.path, above.path)) break;
    if (above.settings !== own.settings) continue;
    for (const [form, text] of above.texts.entries()) expect(own.texts[form]?.slice(0, text.length)).toBe(text);
    compared += 1;
  }
  return compared;
}

function hasSummary(path: readonly Node[], above: readonly Node[]): boolean {
  return path.slice(above.length).some(({ role }) => role === 'summary');
}

function messagesOf(path: readonly Node[]): ModelMessage[] {
  return promptOf(path, settingsNamed(newestSettings(path))).messages;
}

async function checkAccepted(messages: ModelMessage[]): Promise<void> {
  for (const [place, message] of messages.entries()) checkMessage(message, messages[place + 1]);
  // A request follows a message of a person.
  const request = {
    ...REQUEST,
    messages: [...messages, user('And now?')],
    cache: { messages: [], lifetime: '5m' as const },
  };
  const body = { model: 'claude-sonnet-5', max_tokens: 1, stream: true };
  const headers = { 'anthropic-version': '1' };
  const sent = { body: { ...body, messages: await anthropicMessages(request, '5m') }, headers };
  const anthropic = anthropicViolation(sent, { paused: new Set() });
  const openai = openaiViolation({ ...body, messages: await openaiMessages(request) });
  const responses = responsesViolation({
    model: body.model,
    stream: true,
    store: false,
    input: await inputItems(request),
  });
  expect([anthropic, openai, responses]).toEqual([null, null, null]);
}

/** Every call has its result in the next message, and nothing forbidden is sent. */
function checkMessage({ role, content }: ModelMessage, next: ModelMessage | undefined): void {
  const calls = content.flatMap((part) => (part.type === 'call' ? [part.id] : []));
  const results = (next?.content ?? []).flatMap((part) => (part.type === 'result' ? [part.id] : []));
  expect(content.length).toBeGreaterThan(0);
  expect(role === 'assistant' ? results : calls).toEqual(role === 'assistant' ? calls : []);
  if (role === 'user') expect(results).toEqual([]);
  if (role === 'assistant') expect(content.some(({ type }) => type !== 'thinking')).toBe(true);
  for (const part of content) {
    if (part.type === 'text') expect(part.text.trim()).not.toBe('');
    if (part.type === 'thinking')
      expect([signatureOf(part.text), 'redacted_thinking:hidden-data']).toContain(part.signature);
  }
}
