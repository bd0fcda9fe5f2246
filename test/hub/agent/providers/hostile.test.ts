import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { EVENT_BYTES_MAX, type ModelRequest, SAID_BYTES_MAX } from '../../../../hub/agent/model/provider.js';
import { SYSTEM_TIMERS } from '../../../../hub/agent/model/timers.js';
import { manualTimers } from '../../../support/manual_timers.js';
import { type Respond, streaming, withRawServer, writeInChunks } from '../../../support/model/raw_server.js';
import { KEY } from '../../../support/model_server.js';
import { type Heard, hear, makerOf, REQUEST, text } from './dialects.js';

/** How each of the formats says things, written by hand. */
const FORMATS = [
  {
    ...{ name: 'anthropic', provider: makerOf('anthropic')(SYSTEM_TIMERS), make: makerOf('anthropic'), path: '' },
    ...{ model: 'claude-sonnet-5', begin: begun({ input_tokens: 5, output_tokens: 1 }), says: anthropicSays },
    calls: anthropicCalls,
    end: (usage: unknown = { output_tokens: 3 }, stop_reason = 'end_turn') =>
      frame({ type: 'message_delta', delta: { stop_reason }, usage }) + frame({ type: 'message_stop' }),
    ended: (usage: unknown) => frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
  },
  {
    ...{ name: 'openai', provider: makerOf('openai')(SYSTEM_TIMERS), make: makerOf('openai'), path: '/v1' },
    ...{ model: 'gpt-5', begin: '', says: openaiSays, calls: openaiCalls },
    end: (usage: unknown = { prompt_tokens: 5, completion_tokens: 3 }, finish_reason = 'stop') =>
      `${chunk({ choices: [{ delta: {}, finish_reason }] })}${chunk({ choices: [], usage })}data: [DONE]\n\n`,
    ended: (_usage: unknown) => chunk({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
  },
  {
    ...{ name: 'gemini', provider: makerOf('gemini')(SYSTEM_TIMERS), make: makerOf('gemini'), path: '' },
    ...{ model: 'gemini-3.8-flash', begin: '', says: (words: string) => geminiSays([{ text: words }]) },
    calls: (count: number) =>
      geminiSays(
        Array.from({ length: count }, (_, n) => ({ functionCall: { id: `c${n}`, name: 'bash', args: { n } } })),
      ),
    end: (usage: unknown = { promptTokenCount: 5, candidatesTokenCount: 3 }) =>
      chunk({ candidates: [{ finishReason: 'STOP' }], usageMetadata: usage }),
    ended: (_usage: unknown) => chunk({ candidates: [{ finishReason: 'STOP' }] }),
  },
];
type Format = (typeof FORMATS)[number];

function frame(event: { type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function chunk(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function begun(usage: unknown): string {
  const content_block = { type: 'text', text: '' };
  return (
    frame({ type: 'message_start', message: { usage } }) +
    frame({ type: 'content_block_start', index: 0, content_block })
  );
}

function anthropicSays(words: string): string {
  return frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } });
}

function openaiSays(content: string): string {
  return chunk({ choices: [{ delta: { content } }] });
}

function geminiSays(parts: object[]): string {
  return chunk({ candidates: [{ content: { parts } }] });
}

/** Calls which all have the same place, and of which none is said to end. */
function anthropicCalls(count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const content_block = { type: 'tool_use', id: `c${n}`, name: 'bash', input: { n } };
    return frame({ type: 'content_block_start', index: 0, content_block });
  }).join('');
}

function openaiCalls(count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const called = { index: n, id: `c${n}`, function: { name: 'bash', arguments: JSON.stringify({ n }) } };
    return chunk({ choices: [{ delta: { tool_calls: [called] } }] });
  }).join('');
}

/** What comes of a request to a server that responds like this. */
function heardFrom(format: Format, respond: Respond, more: Partial<ModelRequest> = {}): Promise<Heard> {
  return withRawServer(respond, (origin) =>
    hear(format.provider, { ...REQUEST, model: format.model, baseUrl: origin + format.path, key: KEY, ...more }),
  );
}

const streams =
  (body: string | Buffer): Respond =>
  (response) =>
    streaming(response).end(body);

describe.each(FORMATS)('$name', (format) => {
  const { begin, says, calls, end, ended } = format;

  test.each([-1, 1.5, 1e300, '5', [], null])(
    'takes %j for no number of tokens, and keeps the answer',
    async (count) => {
      const usage = { output_tokens: count, prompt_tokens: 5, completion_tokens: count };
      const heard = await heardFrom(format, streams(begin + says('hi') + end(usage)));
      expect(heard).toMatchObject({ answer: { blocks: [text('hi')], end: 'answered' }, failure: null });
      expect(heard.answer.usage?.output ?? 1).toBe(1);
    },
  );

  test.each(['lots', {}, []])('does not count an answer as free whose usage is %j', async (usage) => {
    const start = format.name === 'anthropic' ? begun(usage) : '';
    const heard = await heardFrom(format, streams(start + says('hi') + end(usage)));
    expect(heard).toMatchObject({ answer: { blocks: [text('hi')], usage: null }, failure: null });
  });

  test('reads line ends of one carriage return, a byte order mark and broken characters', async () => {
    const bytes = Buffer.from(`\ufeff${begin}${says('h@i')}${end()}`.replaceAll('\n', '\r'));
    bytes[bytes.indexOf('@')] = 0xff;
    const heard = await heardFrom(format, streams(bytes));
    expect(heard).toMatchObject({ answer: { blocks: [text('h\ufffdi')] }, failure: null });
  });

  test('reads an event of megabytes in tiny pieces without going through it again and again', async () => {
    const words = 'x'.repeat(4_000_000);
    const body = Buffer.from(begin + says(words) + end());
    const heard = await heardFrom(format, async (response) => {
      await writeInChunks(streaming(response), body, 400);
      response.end();
    });
    expect(heard.failure).toBeNull();
    expect(heard.answer.blocks).toEqual([text(words)]);
  });

  test('reads 100,000 tiny pieces', async () => {
    const heard = await heardFrom(format, streams(begin + says('a').repeat(100_000) + end()));
    expect(heard.answer.blocks).toEqual([text('a'.repeat(100_000))]);
  });

  test('keeps every call although all have the same index', async () => {
    const heard = await heardFrom(format, streams(begin + calls(3) + end(undefined, 'tool_use')));
    expect(heard.answer.blocks).toMatchObject([{ id: 'c0', input: { n: 0 } }, { id: 'c1' }, { id: 'c2' }]);
    expect(heard.answer.end).toBe('calls');
  });

  test('takes no event that never ends, in however many lines', async () => {
    const lines = `data: ${'x'.repeat(1_000)}\n`.repeat(EVENT_BYTES_MAX / 1_000);
    const { failure, answer } = await heardFrom(format, streams(begin + says('hi') + lines));
    expect(failure).toMatchObject({
      kind: 'network',
      retryable: false,
      message: expect.stringMatching(/no whole event/),
    });
    expect(answer.blocks).toEqual([text('hi')]);
  });

  test('unpacks no more than an answer may have', async () => {
    const packed = gzipSync(Buffer.concat([Buffer.from(begin + says('hi')), Buffer.alloc(20_000_000, ': and on\n')]));
    const { failure } = await heardFrom(format, (response) =>
      streaming(response, { 'content-encoding': 'gzip' }).end(packed),
    );
    expect(failure).toMatchObject({ kind: 'network', retryable: false });
  });

  test('ends an answer that is more than a node can hold, and keeps what fits', async () => {
    const { failure, answer } = await heardFrom(format, streams(begin + says('x'.repeat(100_000)).repeat(100) + end()));
    expect(failure).toMatchObject({
      kind: 'network',
      retryable: false,
      message: expect.stringMatching(/than can be kept/),
    });
    const [said] = answer.blocks;
    const length = said?.type === 'text' ? said.text.length : 0;
    expect(length).toBeLessThan(SAID_BYTES_MAX);
    expect(length).toBeGreaterThan(SAID_BYTES_MAX - 200_000);
  });

  test('waits a little for the count of tokens after the end, and not while only signs of life come', async () => {
    const timers = manualTimers();
    await withRawServer(
      (response) => streaming(response).write(begin + says('hi') + ended(null)),
      async (origin) => {
        const provider = format.make(timers);
        const baseUrl = origin + format.path;
        for await (const event of provider.answer({ ...REQUEST, baseUrl, key: KEY }, AbortSignal.timeout(30_000))) {
          if (event.kind === 'text') queueMicrotask(() => void fireWhenShort(timers));
          if (event.kind === 'end') expect(event.reason).toBe('answered');
        }
      },
    );
  });

  test('reports a body that is shorter than its content-length as cut', async () => {
    const body = begin + says('hi');
    const { failure } = await heardFrom(format, (response) => {
      streaming(response, { 'content-length': String(body.length + 50) }).write(body, () => response.socket?.end());
    });
    expect(failure).toMatchObject({ kind: 'network', retryable: true, message: expect.stringMatching(/was cut/) });
  });

  test('follows no redirect, so that nobody else gets the conversation or the key', async () => {
    const seen: (string | undefined)[] = [];
    await withRawServer(
      (response, request) => response.end(seen.push(`elsewhere: ${request.url}`)),
      async (other) => {
        const { failure } = await heardFrom(format, (response) => response.writeHead(307, { location: other }).end());
        expect(failure).toMatchObject({ kind: 'rejected', details: { reason: 'redirected' } });
      },
    );
    expect(seen).toEqual([]);
  });
});

/** Lets the clock run out once the short wait for what follows an answer has begun. */
async function fireWhenShort(timers: ReturnType<typeof manualTimers>): Promise<void> {
  while (!timers.running().some((delayMs) => delayMs <= 10_000)) await new Promise((resolve) => setImmediate(resolve));
  timers.fire();
}
