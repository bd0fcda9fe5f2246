import { expect, test } from 'vitest';
import { estimateLine } from '../../../../cli/render/reports/estimate_text.js';
import { pathTokens } from '../../../../hub/agent/estimate/token_estimate.js';
import type { ParamsOf } from '../../../../hub/protocol/methods/method_table.js';
import { NodeId } from '../../../../hub/protocol/node.js';
import { say } from '../../../support/model/script.js';
import { accessTo, type TestAgent, withAgent } from '../../../support/turns.js';
import { words } from '../turn/turn_calls.js';

const LONG = 'Something is told at some length here. '.repeat(300);

function estimate({ client, server }: TestAgent, node: NodeId, more: Partial<ParamsOf<'agent.estimate'>> = {}) {
  return client.call('agent.estimate', { node, access: accessTo(server), ...more });
}

async function talk(agent: TestAgent, text: string, parent?: NodeId): Promise<NodeId> {
  agent.server.script(say(words('Yes.')));
  return (await agent.run(await agent.say(text, parent))).tip;
}

test('an estimate is what was counted last on the path, and a token for 4 bytes of what came since', async () => {
  await withAgent(async (agent) => {
    const tip = await talk(agent, LONG);
    const served = agent.server.cache.served.at(-1);
    const counted = (served?.input ?? 0) + (served?.write5m ?? 0) + (served?.read ?? 0);
    const { tokens, model } = await estimate(agent, tip);
    expect(model).toBe('anthropic/claude-sonnet-5');
    expect(tokens).toBeGreaterThan(counted);
    const more = await estimate(agent, await agent.say('x'.repeat(40_000), tip));
    expect(more.tokens - tokens).toBeGreaterThanOrEqual(10_000);
    expect(more.tokens - tokens).toBeLessThan(10_020);
    // The next request is really about that large.
    agent.server.script(say(words('Yes.')));
    await talk(agent, 'And?', tip);
    const last = agent.server.cache.served.at(-1);
    const really = (last?.input ?? 0) + (last?.write5m ?? 0) + (last?.read ?? 0);
    expect(Math.abs(really - tokens) / really).toBeLessThan(0.15);
  });
});

test('what a request left in the cache is warm for its path and its branches, until it expires', async () => {
  await withAgent(async (agent) => {
    const first = await talk(agent, LONG);
    const before = Date.now();
    const fork = await talk(agent, 'And then?', first);
    const warm = await estimate(agent, fork);
    expect(warm.cached.state).toBe('warm');
    expect(warm.cached.tokens).toBeGreaterThan(3_000);
    expect(warm.cached.tokens).toBeLessThanOrEqual(warm.tokens);
    expect(warm.cached.until_ms).toBeGreaterThan(before + 290_000);
    // A branch that has sent nothing yet shares what another has sent.
    const beside = await estimate(agent, await agent.say('Or else?', first));
    expect(beside.cached.state).toBe('warm');
    expect(beside.cached.tokens).toBeLessThan(warm.tokens);
    const off = await estimate(agent, await agent.say('Something else altogether'));
    expect(off.cached).toEqual({ tokens: 0, state: 'cold', until_ms: null });
  });
});

test('another model, another level and instructions that are read anew find nothing in the cache', async () => {
  await withAgent(async (agent) => {
    const tip = await talk(agent, LONG);
    expect((await estimate(agent, tip)).cached.state).toBe('warm');
    for (const change of [{ model: 'anthropic/claude-opus-5-5' }, { level: 'readonly' as const }, { reload: true }]) {
      expect((await estimate(agent, tip, { change })).cached.state).toBe('cold');
    }
    const same = { model: 'anthropic/claude-sonnet-5', level: 'orchestrator' as const };
    expect((await estimate(agent, tip, { change: same })).cached.state).toBe('warm');
    const other = await estimate(agent, tip, { change: { model: 'openai/gpt-5.4-mini' } });
    expect(other.cached).toEqual({ tokens: 0, state: 'unknown', until_ms: null });
  });
});

test('window and price are those of the table; for a server of one’s own the window is what the person says', async () => {
  await withAgent(async (agent) => {
    const tip = await talk(agent, 'hello');
    const own = await estimate(agent, tip, { window: 12_345 });
    expect(own).toMatchObject({ window: 12_345, output_max: 32_000, price_microdollars: null });
    const access = { anthropic: { base_url: null, key: null } };
    const official = await estimate(agent, tip, { access, window: 12_345 });
    expect(official.window).toBe(1_000_000);
    expect(official.price_microdollars).toBeGreaterThan(0);
    expect((await estimate(agent, tip, { change: { model: 'demo' } })).price_microdollars).toBe(0);
  });
});

test('without a model only the tokens are estimated, and an empty path is as long as what is always sent', async () => {
  await withAgent(async (agent) => {
    const empty = await agent.client.call('agent.estimate', { node: NodeId.parse(agent.tree) });
    expect(empty).toMatchObject({ model: null, window: null, price_microdollars: null });
    expect(empty.tokens).toBeGreaterThan(300);
    expect(empty.tokens).toBeLessThan(3_000);
    expect(pathTokens([], { measure: { tokens: 7, nodes: 0 }, prefix: { system_prompt: 'x', tools: [] } })).toBe(7);
  });
});

test('an estimate is one line, with as much in it as is known', () => {
  const cached = { tokens: 80_000, state: 'warm' as const };
  const warm = { tokens: 84_000, window: 200_000, cached, until: '14:05', price_microdollars: 39_120 };
  expect(estimateLine(warm)).toBe(
    'about 84,000 tokens, 42 % of the window; 80,000 of them cached until 14:05; about $0.0391',
  );
  const cold = { ...warm, cached: { tokens: 0, state: 'cold' as const }, until: null, price_microdollars: null };
  expect(estimateLine(cold)).toBe('about 84,000 tokens, 42 % of the window; none of them cached');
  const unknown = { ...cold, window: null, cached: { tokens: 0, state: 'unknown' as const } };
  expect(estimateLine(unknown)).toBe('about 84,000 tokens');
});
