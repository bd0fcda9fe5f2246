import { expect, test } from 'vitest';
import { cacheMarks } from '../../../../hub/agent/request/cache_marks.js';
import type { ModelMessage } from '../../../../hub/protocol/methods/context_methods.js';
import { type ModelServer, withModelServer } from '../../../support/model_server.js';
import { ask, assistant, call, DIALECTS, result, text, user } from './dialects.js';

const [anthropic] = DIALECTS;
if (anthropic === undefined) throw new Error('there is no dialect');
const dialect = anthropic;
const LONG = 'Many words about what to do. '.repeat(200);

/** A step with so many calls at once, and their results. */
function step(name: string, calls: number): ModelMessage[] {
  const ids = Array.from({ length: calls }, (_, place) => `call_${name}_${place}`);
  return [
    assistant(text(`step ${name}`), ...ids.map((id) => call(id, { command: `echo ${id}` }))),
    { role: 'user', content: ids.map((id) => result(id, `output of ${id}`)) },
  ];
}

async function send(server: ModelServer, messages: ModelMessage[], lifetime: '5m' | '1h' = '5m') {
  const cache = { messages: cacheMarks(messages), lifetime };
  const { failure, answer } = await ask(dialect, server, { systemPrompt: LONG, messages, cache });
  expect(failure).toBeNull();
  return { usage: answer.usage, cached: server.cache.served.at(-1) };
}

test('marks stand at the newest three places from which a path can go on in several ways', () => {
  expect(cacheMarks([])).toEqual([]);
  expect(cacheMarks([user('a')])).toEqual([0]);
  expect(cacheMarks([user('a'), user('b'), assistant(text('c')), user('d')])).toEqual([1, 2, 3]);
  expect(cacheMarks([user('a'), ...step('1', 2), ...step('2', 2), ...step('3', 1)])).toEqual([2, 4, 6]);
});

test('a conversation that grows reads all of what it sent before', () =>
  withModelServer(async (server) => {
    const messages = [user('begin')];
    await send(server, messages);
    for (let turn = 0; turn < 8; turn += 1) {
      messages.push(...step(`t${turn}`, turn));
      const { cached } = await send(server, [...messages, user(`turn ${turn}`)]);
      messages.push(user(`turn ${turn}`));
      expect(cached?.read).toBe(cached?.repeatable);
      expect(cached?.input).toBe(0);
    }
  }));

test('a step of more blocks than a server looks back is still read from the cache', () =>
  withModelServer(async (server) => {
    const messages = [user('begin'), ...step('small', 1)];
    await send(server, messages);
    const { cached } = await send(server, [...messages, ...step('large', 60)]);
    expect(cached?.read).toBe(cached?.repeatable);
    expect(cached?.read).toBeGreaterThan(1_024);
  }));

test('a fork reads all that its siblings sent, the answer that it grows from included', () =>
  withModelServer(async (server) => {
    const trunk = [user('begin'), ...step('one', 3), ...step('two', 25)];
    await send(server, trunk);
    const answered = [...trunk, assistant(text(`left ${LONG}`))];
    await send(server, [...answered, user('go left')]);
    const { cached } = await send(server, [...answered, user('no, go right')]);
    expect(cached?.read).toBe(cached?.repeatable);
    expect(cached?.read).toBeGreaterThan(3_000);
  }));

test('of a branching conversation 99 % of what can be repeated is read', () =>
  withModelServer(async (server) => {
    const branches: ModelMessage[][] = [[]];
    for (let turn = 0; turn < 50; turn += 1) {
      const from = branches[(turn * 5) % branches.length] ?? [];
      // Every sixth turn forks somewhere in the middle of a branch, after an answer.
      const ends = from.flatMap(({ role, content }, place) =>
        role === 'assistant' && content.length === 1 ? [place] : [],
      );
      const isFork = turn % 6 === 5 && branches.length < 8;
      const path = isFork ? from.slice(0, (ends[Math.floor(ends.length / 2)] ?? -1) + 1) : from;
      path.push(user(`question ${turn} ${'word '.repeat(turn)}`));
      await send(server, path);
      for (let steps = 0; steps < turn % 4; steps += 1) {
        path.push(...step(`${turn}_${steps}`, 1 + ((turn * 7) % 30)));
        await send(server, path);
      }
      path.push(assistant(text(`answer ${turn} ${'so '.repeat(turn * 3)}`)));
      if (isFork) branches.push(path);
    }
    const sum = (key: 'read' | 'repeatable') => server.cache.served.reduce((total, cached) => total + cached[key], 0);
    expect(branches).toHaveLength(8);
    expect(sum('read') / sum('repeatable')).toBeGreaterThan(0.99);
  }));

test('what is written is counted by how long it is kept', () =>
  withModelServer(async (server) => {
    const short = await send(server, [user('begin')]);
    const long = await send(server, [user('begin otherwise')], '1h');
    expect(short.usage).toMatchObject({ cacheWrite5m: server.cache.served[0]?.write5m, cacheWrite1h: 0 });
    expect(short.usage?.cacheWrite5m).toBeGreaterThan(1_024);
    expect(long.usage).toMatchObject({ cacheRead: short.cached?.read === 0 ? expect.any(Number) : 0 });
    expect(server.requests[1]?.text).toContain('"ttl":"1h"');
  }));

test('an entry is gone after its time, and lives on when it is read', async () => {
  let nowMs = 0;
  await withModelServer(
    async (server) => {
      await send(server, [user('begin')]);
      nowMs = 299_000;
      expect((await send(server, [user('begin')])).usage?.input).toBe(0);
      nowMs = 598_000;
      expect((await send(server, [user('begin')])).usage?.cacheRead).toBeGreaterThan(1_024);
      nowMs = 898_000;
      const late = await send(server, [user('begin')]);
      expect(late.usage?.cacheRead).toBe(0);
      expect(late.cached?.repeatable).toBe(0);
    },
    { nowMs: () => nowMs },
  );
});

test('a prefix that is too short is not kept', () =>
  withModelServer(
    async (server) => {
      await send(server, [user('begin')]);
      expect((await send(server, [user('begin')])).cached).toMatchObject({ read: 0, write5m: 0, repeatable: 0 });
    },
    { cacheTokensMin: 100_000 },
  ));

test('a mark goes to the last tool when there is no system prompt, and nowhere when there is nothing', () =>
  withModelServer(async (server) => {
    await ask(dialect, server, { systemPrompt: '' });
    await ask(dialect, server, { systemPrompt: '', tools: [], cache: { messages: [7], lifetime: '5m' } });
    expect(server.requests[0]?.text.match(/cache_control/g)).toHaveLength(2);
    expect(server.requests[1]?.text).not.toContain('cache_control');
  }));
