import { describe, expect, test } from 'vitest';
import {
  ALIAS_NAMES,
  formatModelName,
  type ModelAtServer,
  parseModelName,
} from '../../../../hub/agent/model/model_names.js';
import { outputTokensMax } from '../../../../hub/agent/model/output_limit.js';
import { loadPriceTable } from '../../../../hub/agent/model/price_table.js';
import { modelAt } from '../../../../hub/agent/model/provider_access.js';
import { SYSTEM_TIMERS } from '../../../../hub/agent/model/timers.js';
import { providerFor } from '../../../../hub/agent/providers/all_providers.js';
import { PROVIDER_RECORDS, providerRecord } from '../../../../hub/base/provider_records.js';
import { Access } from '../../../../hub/protocol/turn.js';
import { refusal } from '../../../support/refusal.js';
import { PACKAGES } from '../providers/dialects.js';

const AT_MS = Date.UTC(2026, 10, 1);
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
const MILLION = 1_000_000;
const model = (provider: string, name: string, baseUrl: string | null = null): ModelAtServer =>
  modelAt({ provider, model: name }, Access.parse({ [provider]: { base_url: baseUrl } }));
const sonnet = model('anthropic', 'claude-sonnet-5');

describe('a model’s name', () => {
  test.each([
    ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['sonnet', 'anthropic/claude-sonnet-5'],
    ['Opus', 'anthropic/claude-opus-5-5'],
    ['haiku', 'anthropic/claude-haiku-4-5'],
    ['gpt', 'openai/gpt-6-sol'],
    ['mini', 'openai/gpt-5.4-mini'],
    ['demo', 'demo/demo'],
    ['claude-opus-4-5', 'anthropic/claude-opus-4-5'],
    ['gpt-4.1', 'openai/gpt-4.1'],
    ['o3', 'openai/o3'],
    ['ollama/qwen3:8b', 'ollama/qwen3:8b'],
    ['openai/meta-llama/Llama-3.1-8B', 'openai/meta-llama/Llama-3.1-8B'],
    ['OpenAI/gpt-5', 'openai/gpt-5'],
  ])('%s means %s', (given, meant) => {
    expect(formatModelName(parseModelName(given))).toBe(meant);
  });

  test.each(['', '/', 'nonsense', 'constructor', '__proto__', 'nowhere/large', 'openai/a b', 'ollama/\u0007'])(
    '%j is refused with a hint',
    (given) => {
      expect(refusal(() => parseModelName(given))).toMatchObject({
        kind: 'invalid_params',
        hint: expect.stringMatching(/anthropic, openai, .*ollama, demo/),
      });
    },
  );

  test.each(['openai', 'openai/', 'OpenAI'])('%s names a provider alone, and a model is asked for', (given) => {
    expect(refusal(() => parseModelName(given))).toMatchObject({
      kind: 'invalid_params',
      message: 'openai is a provider, and no model',
      hint: expect.stringContaining('name one of its models: openai/model; short names: opus, '),
    });
  });

  test('a mistyped one gets the nearest', () => {
    expect(refusal(() => parseModelName('sonet')).hint).toMatch(/^did you mean sonnet\?/);
  });

  test('the price and the window of every short name are known', async () => {
    const prices = await loadPriceTable();
    for (const alias of ALIAS_NAMES.filter((name) => name !== 'demo')) {
      const target = modelAt(parseModelName(alias), {});
      expect([alias, prices.window(target)]).toEqual([alias, expect.any(Number)]);
      expect(prices.cost(target, { ...NOTHING, input: MILLION }, AT_MS)).toBeGreaterThan(0);
    }
  });
});

test('every provider that a name can have is there', () => {
  for (const record of PROVIDER_RECORDS)
    expect(providerFor(record, { timers: SYSTEM_TIMERS, packages: PACKAGES }).name).toBe(record.name);
});

describe('the table of prices', () => {
  test.each([
    [{ input: MILLION }, 2],
    [{ output: MILLION }, 10],
    [{ cacheRead: MILLION }, 0.2],
    [{ cacheWrite5m: MILLION }, 2.5],
    [{ cacheWrite1h: MILLION }, 4],
    [{ input: MILLION, cacheRead: MILLION, cacheWrite5m: MILLION, cacheWrite1h: MILLION, output: MILLION }, 18.7],
    [{}, 0],
  ])('prices %j of a Claude Sonnet 5 at $%d', async (usage, dollars) => {
    const { cost } = await loadPriceTable();
    expect(cost(sonnet, { ...NOTHING, ...usage }, AT_MS)).toBeCloseTo(dollars, 9);
  });

  test.each([
    model('anthropic', 'claude-nonsense-9'),
    model('anthropic', 'claude-sonnet-5-5'),
    model('openai', 'nonsense'),
    model('openai', 'claude-sonnet-5'),
    model('ollama', 'gpt-5'),
    model('openai', 'gpt-5', 'http://127.0.0.1:8080'),
  ])('knows nothing of $provider/$model at $baseUrl', async (target) => {
    const { cost, window } = await loadPriceTable();
    expect(cost(target, { ...NOTHING, input: MILLION }, AT_MS)).toBeNull();
    expect(window(target)).toBeNull();
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5-20250929', 200_000],
    ['anthropic', 'claude-opus-4-20250514', 200_000],
    ['anthropic', 'claude-3-5-haiku-20241022', 200_000],
    ['openai', 'gpt-4o-2024-11-20', 128_000],
  ] as const)('knows %s/%s by its date', async (provider, name, tokens) => {
    const { cost, window } = await loadPriceTable();
    expect(window(model(provider, name))).toBe(tokens);
    expect(cost(model(provider, name), { ...NOTHING, input: MILLION }, AT_MS)).toBeGreaterThan(0);
  });

  test('knows that the demo costs nothing', async () => {
    expect((await loadPriceTable()).cost(model('demo', 'demo'), { ...NOTHING, input: MILLION }, AT_MS)).toBe(0);
  });
});

test.each([
  ['anthropic', 'claude-3-opus-20240229', 4_096],
  ['anthropic', 'claude-3-5-haiku-20241022', 8_192],
  ['anthropic', 'claude-sonnet-5', 32_000],
  ['openai', 'gpt-4', 4_096],
  ['openai', 'gpt-4o', 16_384],
  ['openai', 'gpt-5', 32_000],
  ['ollama', 'qwen3', 32_000],
] as const)('%s/%s is asked for no more than it can write', (provider, name, tokens) => {
  expect(outputTokensMax({ provider, model: name }, 'auto')).toBe(tokens);
  // Who thinks much needs room for it.
  const most = outputTokensMax({ provider, model: name }, 'max');
  expect(most).toBe(/sonnet-5|gpt-5/.test(name) ? 64_000 : tokens);
});

test.each([
  ['anthropic', 'claude-sonnet-5', 'https://api.anthropic.com/v1/'],
  ['anthropic', 'claude-sonnet-5', 'HTTPS://API.ANTHROPIC.COM:443'],
  ['openai', 'gpt-5', 'https://api.openai.com'],
  ['openai', 'gpt-5', 'https://api.openai.com./v1/responses'],
])('%s/%s has its price and window at %s, which is official', async (provider, name, address) => {
  const { cost, window } = await loadPriceTable();
  expect(cost(model(provider, name, address), { ...NOTHING, input: MILLION }, AT_MS)).toBeGreaterThan(0);
  expect(window(model(provider, name, address))).toBeGreaterThan(0);
});

test.each([
  ['http://api.openai.com/v1'],
  ['https://eu.api.openai.com/v1'],
  ['https://api.openai.com/other/v1'],
  ['https://api.openai.com:8443/v1'],
])('%s is not official, and has no price of its own', async (address) => {
  const { cost } = await loadPriceTable();
  expect(cost(model('openai', 'gpt-5', address), { ...NOTHING, input: MILLION }, AT_MS)).toBeNull();
});

const versionOf = (name: string): number => {
  const [, major = 0, minor = 0] = /-(\d+)(?:[.-](\d))?(?=-|$)/.exec(name) ?? [];
  return Number(major) * 100 + Number(minor);
};

test.each([
  ['opus', /^claude-opus-/],
  ['sonnet', /^claude-sonnet-/],
  ['haiku', /^claude-haiku-/],
  ['gpt', /^gpt-[\d.]+-sol$/],
  ['mini', /^gpt-[\d.]+-mini$/],
  ['gemini', /^gemini-[\d.]+-flash$/],
  ['grok', /^grok-[\d.]+$/],
])('%s is the newest of its line that the table knows', async (alias, line) => {
  const named = parseModelName(alias);
  const all = (await loadPriceTable()).models(providerRecord(named.provider)).filter((name) => line.test(name));
  const newest = all.reduce((best, name) => (versionOf(name) > versionOf(best) ? name : best));
  expect(named.model).toBe(newest);
});
