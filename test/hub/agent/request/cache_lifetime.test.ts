import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheLifetime } from '../../../../hub/agent/request/cache_lifetime.js';
import type { Node } from '../../../../hub/protocol/node.js';
import { say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { words } from '../turn/turn_calls.js';

const MINUTE = 60_000;

/** A path on which a person paused for so many minutes before each message but the first. */
function pathWith(...pauses: number[]): Node[] {
  let nowMs = 1_000_000;
  const at = (role: 'user' | 'assistant', pauseMs: number) => {
    nowMs += pauseMs;
    return { role, created_at_ms: nowMs } as Node;
  };
  const later = pauses.flatMap((minutes) => [at('user', minutes * MINUTE), at('assistant', MINUTE)]);
  return [
    { role: 'user', created_at_ms: 0 } as Node,
    { role: 'assistant', created_at_ms: 1_000_000 } as Node,
    ...later,
  ];
}

describe('by itself a path is kept', () => {
  test.each([
    ['5m', []],
    ['5m', [1, 2, 4, 5, 0.1]],
    ['1h', [1, 10]],
    ['1h', [1, 1, 1, 10, 1, 1]],
    ['5m', [1, 1, 1, 1, 1, 1, 1, 10, 1]],
    ['5m', [90, 600, 90]],
    ['1h', [90, 20, 60]],
    ['5m', [10, ...Array.from({ length: 9 }, () => 1), 6]],
  ] as const)('%s behind pauses of %j minutes', (lifetime, pauses) => {
    expect(cacheLifetime(pathWith(...pauses), 'auto')).toBe(lifetime);
  });
});

test('what is said goes before all pauses', () => {
  for (const choice of ['5m', '1h'] as const) {
    expect(cacheLifetime(pathWith(10, 10), choice)).toBe(choice);
    expect(cacheLifetime(pathWith(), choice)).toBe(choice);
  }
});

test('while the cache of a path is warm its lifetime stays as it is', () => {
  const minutes = fc.double({ min: 0, max: 120, noNaN: true });
  fc.assert(
    fc.property(fc.array(minutes, { maxLength: 20 }), fc.double({ min: 0, max: 5, noNaN: true }), (pauses, short) => {
      const now = cacheLifetime(pathWith(...pauses), 'auto');
      expect(cacheLifetime(pathWith(...pauses, short), 'auto')).toBe(now);
    }),
  );
});

test('a turn tells its server how long, and an estimate knows until when what it wrote is kept', () =>
  withAgent(async ({ say: ask, run, server, client }) => {
    const long = 'Many words about what to do. '.repeat(400);
    const access = { anthropic: { base_url: server.origin, key: null } };
    const untilOf = async (cache: '5m' | '1h') => {
      server.script(say(words('Yes.')));
      const node = await ask(`${cache} ${long}`);
      const { tip } = await run(node, { cache });
      const { cached } = await client.call('agent.estimate', { node: tip, access });
      const { node: made } = await client.call('loom.node_get', { node: tip });
      return Math.round(((cached.until_ms ?? 0) - made.created_at_ms) / MINUTE);
    };
    expect([await untilOf('5m'), await untilOf('1h')]).toEqual([5, 60]);
    const told = server.requests.map(({ text }) => [...new Set(text.match(/"ttl":"\w+"/g))]);
    expect(told).toEqual([['"ttl":"5m"'], ['"ttl":"1h"']]);
    expect(server.requests[1]?.cached?.write1h).toBeGreaterThan(1_024);
  }));
