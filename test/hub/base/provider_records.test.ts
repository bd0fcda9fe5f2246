import { expect, test } from 'vitest';
import { parseModelName } from '../../../hub/agent/model/model_names.js';
import { SYSTEM_TIMERS } from '../../../hub/agent/model/timers.js';
import { providerFor } from '../../../hub/agent/providers/all_providers.js';
import { hintText } from '../../../hub/base/hint.js';
import { PROVIDER_RECORDS, type ProviderRecord, providerRecord } from '../../../hub/base/provider_records.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';
import { refusal } from '../../support/refusal.js';
import { hear, PACKAGES, REQUEST } from '../agent/providers/dialects.js';

test('no two providers share a name, a short name or an environment variable', () => {
  const words = PROVIDER_RECORDS.flatMap(({ name, server }) => [
    name,
    ...(server === null ? [] : [...server.keyVariables, server.addressVariable]),
  ]);
  const aliases = PROVIDER_RECORDS.flatMap((record) => Object.keys(record.aliases));
  expect(new Set(words).size).toBe(words.length);
  expect(new Set(aliases).size).toBe(aliases.length);
});

test.each(PROVIDER_RECORDS)('the default model of $name is its own', ({ name, defaultModel }) => {
  if (defaultModel !== null) expect(parseModelName(defaultModel).provider).toBe(name);
});

test.each(PROVIDER_RECORDS.filter(({ server }) => server !== null && server.hints.notRunning !== null))(
  '$name says how it is started when nothing listens at its address',
  async (record) => {
    const baseUrl = await withModelServer(async ({ origin }) => origin);
    const { failure } = await hear(providerFor(record, { timers: SYSTEM_TIMERS, packages: PACKAGES }), {
      ...REQUEST,
      baseUrl,
    });
    expect(failure).toMatchObject({ kind: 'network', hint: record.server?.hints.notRunning });
  },
);

test('an unknown provider is refused with the names of those there are', () => {
  expect(refusal(() => providerRecord('nowhere'))).toMatchObject({
    kind: 'invalid_params',
    hint: expect.stringMatching(/^there are: anthropic, openai, .*mistral, .*ollama, demo$/),
  });
});

test('a provider that speaks a known dialect needs only its record', () =>
  withModelServer(async (server) => {
    const record: ProviderRecord = {
      name: 'elsewhere',
      server: {
        dialect: { kind: 'openai', hasResponses: false, thinkingOff: null, variant: null },
        address: server.openaiUrl,
        addressVariable: 'ELSEWHERE_BASE_URL',
        takesBareHost: false,
        keyVariable: 'ELSEWHERE_API_KEY',
        keyVariables: ['ELSEWHERE_API_KEY'],
        keyHeader: 'authorization',
        needsKey: 'always',
        hints: { notRunning: null, noModel: null },
      },
      defaultModel: null,
      aliases: {},
      modelNames: null,
      prices: { kind: 'unknown' },
      cache: null,
    };
    server.script(say({ kind: 'text', text: 'Hello.' }));
    const provider = providerFor(record, { timers: SYSTEM_TIMERS, packages: PACKAGES });
    expect((await hear(provider, { ...REQUEST, key: KEY })).answer.blocks).toEqual([{ type: 'text', text: 'Hello.' }]);
    const { failure } = await hear(provider, REQUEST);
    expect(failure?.kind).toBe('no_key');
    expect(hintText(failure?.hint ?? '')).toBe(
      'set ELSEWHERE_API_KEY, or choose another model: --model demo needs no key',
    );
  }));
