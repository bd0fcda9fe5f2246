import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextSize } from '../../../../../hub/agent/providers/ollama/context_size.js';
import type { ModelFacts } from '../../../../../hub/agent/providers/ollama/model_facts.js';

const GB = 1024 ** 3;
/** A model of 8 billion numbers: 36 layers of 8 heads, with 128 for a key and for a value, each of two bytes. */
const FACTS: ModelFacts = {
  abilities: new Set(['tools']),
  architecture: 'qwen3',
  contextMax: 131_072,
  contextSet: null,
  contextLoaded: null,
  tokenBytes: 36 * 8 * 256 * 2,
  isElsewhere: false,
};
const here = { stated: null, memoryBytes: 32 * GB };

test.each([
  ['a quarter of the memory', {}, {}, 57_344],
  ['at least something to work with', {}, { memoryBytes: GB }, 8_192],
  ['no more than is wanted without being told', {}, { memoryBytes: 1_024 * GB }, 131_072],
  ['what the model can do', { contextMax: 8_192 }, {}, 8_192],
  ['little of a model that can do little', { contextMax: 2_048 }, { memoryBytes: GB }, 2_048],
  ['what the person says', {}, { stated: 100_000 }, 100_000],
  ['no more than the model can do, whatever the person says', {}, { stated: 1_000_000 }, 131_072],
  ['what its Modelfile says', { contextSet: 16_384 }, {}, 16_384],
  ['what the person says before what the Modelfile does', { contextSet: 16_384 }, { stated: 20_000 }, 20_000],
  ['what it is loaded with, where that is more', { contextLoaded: 100_000 }, {}, 100_000],
  ['its own size, where it is loaded with less', { contextLoaded: 4_096 }, {}, 57_344],
  ['the usual on another machine', {}, { memoryBytes: null }, 32_768],
  ['the usual where nothing is known of it', { tokenBytes: null, contextMax: null }, {}, 32_768],
  ['what the makers give on their machines', { isElsewhere: true, tokenBytes: null }, {}, 131_072],
])('a model gets %s', (...[, facts, limits, expected]) => {
  expect(contextSize({ ...FACTS, ...facts }, { ...here, ...limits })).toBe(expected);
});

test('no model is asked for more than it can do, or for nothing', () => {
  const count = fc.option(fc.integer({ min: 1, max: 2_000_000 }));
  fc.assert(
    fc.property(count, count, count, count, fc.option(fc.integer({ min: 1, max: 2 ** 45 })), (...numbers) => {
      const [contextMax, contextSet, contextLoaded, tokenBytes, memoryBytes] = numbers;
      const facts = { ...FACTS, contextMax, contextSet, contextLoaded, tokenBytes };
      const size = contextSize(facts, { stated: null, memoryBytes }) ?? 0;
      expect(size).toBeGreaterThan(0);
      expect(size).toBeLessThanOrEqual(contextMax ?? 2_000_000);
    }),
  );
});
