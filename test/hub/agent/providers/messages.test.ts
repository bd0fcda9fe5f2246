import { describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../../../hub/protocol/methods/context_methods.js';
import { Sha256 } from '../../../../hub/protocol/node.js';
import { listOf, objectOf } from '../../../support/model/prompt_cache.js';
import { signatureOf } from '../../../support/model/script.js';
import { type ModelServer, withModelServer } from '../../../support/model_server.js';
import { ask, assistant, BASH, call, DIALECTS, type Dialect, result, text, user } from './dialects.js';

const thinking = (words: string, signature: string | null = signatureOf(words)) => ({
  type: 'thinking' as const,
  text: words,
  signature,
});
const results = (...content: ModelMessage['content']): ModelMessage => ({ role: 'user', content });
const image = (side = 10) => ({
  type: 'image' as const,
  sha256: Sha256.parse('a'.repeat(64)),
  media_type: 'image/png' as const,
  width: side,
  height: side,
});

/** Conversations that a strict server must accept, however odd their nodes are. */
const CONVERSATIONS: Record<string, ModelMessage[]> = {
  'of messages in a row by one side': [user('a'), user('b'), assistant(text('c')), assistant(text('d')), user('e')],
  'with empty texts': [user('a'), assistant(text('')), user(' \n'), user('b')],
  'with an empty answer between two questions': [user('a'), assistant(), user('b')],
  'with thinking only': [user('a'), assistant(thinking('hm')), user('b')],
  'with thinking that another model did not sign': [user('a'), assistant(thinking('hm', null), text('b')), user('c')],
  'with thinking at the end of an answer': [user('a'), assistant(text('b'), thinking('hm')), user('c')],
  'with calls and results': [
    user('a'),
    assistant(thinking('hm'), text('b'), call('call_1', { command: 'ls' }), call('call_2')),
    results(result('call_1', 'x'), result('call_2', 'y', true)),
    user('and now?'),
  ],
  'with results without a word': [
    user('a'),
    assistant(call('call_1'), call('call_2')),
    results(result('call_1', ''), result('call_2', '', true)),
  ],
  'with ids that other servers made': [
    user('a'),
    assistant(call('functions.bash:0'), call('数据'), call(`call_${'x'.repeat(150)}`)),
    results(result('functions.bash:0', '1'), result('数据', '2'), result(`call_${'x'.repeat(150)}`, '3')),
  ],
  'with the same id in two steps': [
    user('a'),
    assistant(call('call_0')),
    results(result('call_0', '1')),
    assistant(call('call_0')),
    results(result('call_0', '2')),
  ],
  'with a tool that no server would accept by its name': [
    user('a'),
    assistant(call('call_1', {}, 'my tool.§')),
    results(result('call_1', 'there is no such tool', true)),
  ],
  'with a malformed call': [
    user('a'),
    assistant(call('call_1', { not_json: '{"a' })),
    results(result('call_1', 'the input is not valid JSON', true)),
  ],
  'that begins with an answer': [user(''), assistant(text('a')), user('b')],
};

describe.each(DIALECTS)('$name sends conversations', (dialect) => {
  test.each(Object.entries(CONVERSATIONS))('%s as its server wants them', (_name, messages) =>
    withModelServer(async (server) => {
      const { failure } = await ask(dialect, server, { messages });
      expect(server.violations).toEqual([]);
      expect(failure).toBeNull();
    }),
  );

  test('so that a longer one begins with the same bytes', () =>
    withModelServer(async (server) => {
      const messages = Object.values(CONVERSATIONS)[6]?.slice(0, 3) ?? [];
      await ask(dialect, server, { messages, cache: { messages: [], lifetime: '5m' } });
      const longer = [...messages, assistant(text('done')), user('thanks')];
      await ask(dialect, server, { messages: longer, cache: { messages: [], lifetime: '5m' } });
      const [first = '', second = ''] = server.requests.map(({ body }) =>
        JSON.stringify([body.system, body.tools, body.messages ?? body.input ?? body.contents]),
      );
      expect(second.slice(0, first.length - 2)).toBe(first.slice(0, -2));
    }));

  test('with the system prompt and the tools as they are', () =>
    withModelServer(async (server) => {
      await ask(dialect, server, { systemPrompt: 'Be brief.\n', tools: [BASH] });
      const { body } = server.requests[0] ?? { body: {} };
      expect(JSON.stringify(body)).toContain('"Be brief.\\n"');
      expect(JSON.stringify(body)).toContain(JSON.stringify(BASH.schema));
    }));

  test('without a system prompt and without tools', () =>
    withModelServer(async (server) => {
      expect((await ask(dialect, server, { systemPrompt: '', tools: [] })).failure).toBeNull();
      expect(Object.keys(server.requests[0]?.body ?? {})).not.toContain('tools');
    }));

  test('with images of a person and of a tool', () =>
    withModelServer(async (server) => {
      const messages = [
        results(text('what is this?'), image()),
        assistant(call('call_1')),
        results({ ...result('call_1', 'see'), content: [text('see'), image()] }),
      ];
      const { failure } = await ask(dialect, server, { messages, loadImage: async () => Buffer.from('picture') });
      expect(failure).toBeNull();
      const base64 = Buffer.from('picture').toString('base64');
      expect(server.requests[0]?.text.split(base64)).toHaveLength(3);
    }));

  test.each([
    ['no longer stored', image(), null, /no longer stored/],
    ['too large a side', image(50_000), Buffer.from('x'), /50000 × 50000 pixels/],
    ['too many bytes', image(), Buffer.alloc(16 * 1024 * 1024), /bytes are too many/],
  ])('with a line for the model in place of an image that is %s', (...[, wanted, bytes, words]) =>
    withModelServer(async (server) => {
      const messages = [results(text('this?'), wanted)];
      const { failure } = await ask(dialect, server, { messages, loadImage: async () => bytes });
      expect(failure).toBeNull();
      expect(server.requests[0]?.text).toMatch(/an image is left out/);
      expect(server.requests[0]?.text).toMatch(words);
    }),
  );
});

const [anthropic, , compatible] = DIALECTS;
if (anthropic === undefined || compatible === undefined) throw new Error('there are no dialects');

function sent(server: ModelServer): Record<string, unknown>[] {
  return listOf(server.requests.at(-1)?.body.messages).map(objectOf);
}

test('anthropic gets thinking back unchanged, in its place', () =>
  withModelServer(async (server) => {
    const hidden = { ...thinking(''), signature: 'redacted_thinking:hidden-xyz' };
    const messages = [
      user('a'),
      assistant(thinking('one'), hidden, text('b'), thinking('two'), call('call_1')),
      results(result('call_1', 'x')),
    ];
    await ask(anthropic, server, { messages, cache: { messages: [], lifetime: '5m' } });
    expect(sent(server)[1]?.content).toEqual([
      { type: 'thinking', thinking: 'one', signature: signatureOf('one') },
      { type: 'redacted_thinking', data: 'hidden-xyz' },
      { type: 'text', text: 'b' },
      { type: 'thinking', thinking: 'two', signature: signatureOf('two') },
      { type: 'tool_use', id: 'call_1', name: 'bash', input: {} },
    ]);
  }));

test('servers that speak chat completions are told of a failure in words, and shown the images of a result afterwards', () =>
  withModelServer(async (server) => {
    const messages = [
      user('a'),
      assistant(call('call_1', { command: 'ls' })),
      results({ ...result('call_1', 'boom', true), content: [text('boom'), image()] }, text('go on')),
    ];
    await ask(compatible, server, { messages, loadImage: async () => Buffer.from('x') });
    expect(sent(server).slice(1)).toEqual([
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Error: boom\n(an image, shown below)' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,eA==' } },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  }));

test.each([
  [
    'claude-sonnet-5',
    'medium',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
  ],
  [
    'claude-opus-4-6',
    'high',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
  ],
  ['claude-haiku-4-5-20251001', 'low', { thinking: { type: 'enabled', budget_tokens: 3_072 } }],
  ['claude-opus-4-20250514', 'high', { thinking: { type: 'enabled', budget_tokens: 3_072 } }],
  ['claude-3-5-haiku-20241022', 'high', {}],
  ['claude-haiku-4-5', 'off', {}],
  ['claude-opus-4-8', 'off', {}],
  ['claude-sonnet-5', 'off', { thinking: { type: 'disabled' } }],
  ['claude-sonnet-5-5', 'off', { thinking: { type: 'between_tools' } }],
  ['claude-haiku-5-5', 'off', { thinking: { type: 'disabled' } }],
  [
    'claude-opus-5-5',
    'off',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
  ],
  ['claude-opus-5-5', 'auto', { thinking: { type: 'adaptive', display: 'summarized' } }],
  ['claude-opus-4-8', 'auto', { thinking: { type: 'adaptive', display: 'summarized' } }],
  [
    'claude-sonnet-5',
    'max',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
  ],
  ['claude-haiku-4-5', 'auto', { thinking: { type: 'enabled', budget_tokens: 3_072 } }],
  ['claude-3-5-haiku-20241022', 'auto', {}],
  ['glm-5', 'auto', {}],
  ['glm-5', 'off', { thinking: { type: 'disabled' } }],
  ['glm-5', 'high', { thinking: { type: 'enabled', budget_tokens: 3_072 } }],
] as const)('%s is told to think %s in the words that it knows', (model, level, expected) =>
  withModelServer(async (server) => {
    await ask(anthropic, server, { model, thinking: level });
    const { thinking: told, output_config: effort } = server.requests[0]?.body ?? {};
    expect({ ...(told ? { thinking: told } : {}), ...(effort ? { output_config: effort } : {}) }).toEqual(expected);
  }),
);

test('a model with a thinking budget does not think about results that another model asked for', () =>
  withModelServer(async (server) => {
    const messages = [user('a'), assistant(call('call_1')), results(result('call_1', 'x'))];
    await ask(anthropic, server, { model: 'claude-haiku-4-5', thinking: 'high', messages });
    expect(server.requests[0]?.body.thinking).toBeUndefined();
  }));

test.each([[compatible, { max_tokens: 4_096, reasoning_effort: 'low' }]] as [Dialect, object][])(
  'servers that speak like openai get the limit by its old name',
  (dialect, expected) =>
    withModelServer(async (server) => {
      await ask(dialect, server, { thinking: 'low' });
      expect(server.requests[0]?.body).toMatchObject(expected);
      expect(server.requests[0]?.headers.authorization).toMatch(/^Bearer /);
    }),
);
