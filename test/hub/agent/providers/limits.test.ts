import { describe, expect, test } from 'vitest';
import { EVENT_BYTES_MAX } from '../../../../hub/agent/model/provider.js';
import { answerIds, callIds, sentToolName } from '../../../../hub/agent/providers/blocks/call_ids_and_tool_names.js';
import { imageSender } from '../../../../hub/agent/providers/blocks/images.js';
import { assembleCalls } from '../../../../hub/agent/providers/openai/assemble_calls.js';
import { Sha256 } from '../../../../hub/protocol/node.js';
import { fail } from '../../../support/model/script.js';
import { withModelServer } from '../../../support/model_server.js';
import { ask, DIALECTS } from './dialects.js';

test.each(DIALECTS)('$name reads no endless line', (dialect) =>
  withModelServer(async (server) => {
    server.script(fail(500, '', { raw: 'x'.repeat(EVENT_BYTES_MAX + 1) }));
    const { failure } = await ask(dialect, server);
    expect(failure).toMatchObject({
      kind: 'network',
      retryable: false,
      message: expect.stringMatching(/bytes that are no whole event/),
    });
  }),
);

test.each(DIALECTS)('$name says so when something else than a model answers', (dialect) =>
  withModelServer(async (server) => {
    server.script(fail(200, '', { raw: '<html>Please log in</html>', headers: { 'content-type': 'text/html' } }));
    const { failure } = await ask(dialect, server);
    expect(failure).toMatchObject({ kind: 'network', retryable: false, details: { visible: false } });
    expect(failure?.message).toMatch(/answered with text\/html, which is no stream of a model$/);
  }),
);

test.each(DIALECTS)('$name passes on what goes wrong before anything is sent', (dialect) =>
  withModelServer(async (server) => {
    const image = { type: 'image', sha256: Sha256.parse('a'.repeat(64)), media_type: 'image/png', width: 1, height: 1 };
    const messages = [
      { role: 'user' as const, content: [{ ...image, type: 'image' as const, media_type: 'image/png' as const }] },
    ];
    const answer = ask(dialect, server, { messages, loadImage: () => Promise.reject(new Error('the disk is broken')) });
    await expect(answer).rejects.toThrow('the disk is broken');
    expect(server.requests).toEqual([]);
  }),
);

describe('calls in pieces', () => {
  const piece = (more: object) => ({ function: { arguments: '' }, ...more });

  test('are not guessed at when a piece could belong to two of them', () => {
    const calls = assembleCalls(answerIds(0));
    calls.add([
      { id: 'a', function: { name: 'read', arguments: '{"path":' } },
      { id: 'b', function: { name: 'bash', arguments: '{"command":' } },
    ]);
    calls.add([piece({ function: { arguments: '"x"}' } })]);
    expect(calls.finish()).toMatchObject([
      { kind: 'call_malformed', id: 'a', problem: expect.stringMatching(/mixed up/) },
      { kind: 'call_malformed', id: 'b' },
    ]);
  });

  test('find their call when its id comes late, and keep to it when they take turns', () => {
    const calls = assembleCalls(answerIds(0));
    calls.add([{ index: 0, function: { name: 'read', arguments: '' } }]);
    calls.add([{ index: 1, id: 'b', function: { name: 'bash', arguments: '{"n":' } }]);
    calls.add([{ index: 0, id: 'a', function: { arguments: '{"path":' } }]);
    calls.add([{ index: 1, function: { arguments: '2}' } }]);
    calls.add([{ index: 0, function: { arguments: '1}' } }]);
    expect(calls.finish()).toMatchObject([
      { call: { tool: 'read', input: { path: 1 } } },
      { call: { tool: 'bash', input: { n: 2 } } },
    ]);
    expect(calls.count()).toBe(2);
  });
});

describe('names', () => {
  test('of calls that are fine stay, others follow from what stands before them', () => {
    const [one, two] = [callIds(), callIds()];
    for (const ids of [one, two]) {
      expect(ids.call('toolu_01')).toBe('toolu_01');
      expect(ids.call('a.b')).toMatch(/^call_[0-9a-f]{24}$/);
      expect(ids.result('toolu_01')).toBe('toolu_01');
    }
    expect(one.result('a.b')).toBe(two.result('a.b'));
    expect(one.call('toolu_01')).not.toBe('toolu_01');
    expect(one.result('toolu_01')).not.toBe('toolu_01');
  });

  test('of tools are cut and cleaned', () => {
    expect(sentToolName(`a b.§${'x'.repeat(100)}`)).toBe(`a_b__${'x'.repeat(59)}`);
  });
});

test('an image is judged by those before it, so that a longer request sends the same', async () => {
  const limits = {
    charactersMax: 100,
    totalCharactersMax: 40,
    sideMax: 8_000,
    few: 2,
    sideMaxOfMany: 2_000,
    countMax: 3,
  };
  const image = (side: number) => ({
    type: 'image' as const,
    sha256: Sha256.parse('a'.repeat(64)),
    media_type: 'image/png' as const,
    width: side,
    height: 1,
  });
  const kinds = async (sides: number[]) => {
    const send = imageSender(async () => Buffer.from('12345678'), limits);
    const sent: string[] = [];
    for (const side of sides) sent.push((await send(image(side))).kind);
    return sent;
  };
  expect(await kinds([10, 10, 10, 10])).toEqual(['image', 'image', 'image', 'text']);
  expect(await kinds([5_000, 10, 10])).toEqual(['image', 'image', 'text']);
  expect(await kinds([10, 10, 5_000, 10])).toEqual(['image', 'image', 'text', 'image']);
  expect(await kinds([9_000, 10, 10, 10])).toEqual(['text', 'image', 'image', 'image']);
});
