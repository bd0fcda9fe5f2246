import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { manualTimers } from '../../../support/manual_timers.js';
import { geminiSignature } from '../../../support/model/gemini_frames.js';
import { reasoningItem } from '../../../support/model/responses_frames.js';
import { type Part, type Quirk, type Script, say, signatureOf } from '../../../support/model/script.js';
import { withModelServer } from '../../../support/model_server.js';
import { ask, DIALECTS, hear, requestTo } from './dialects.js';

const LS: Part = { kind: 'call', id: 'call_a', tool: 'bash', input: '{"command":"ls 数据"}' };
const PWD: Part = { kind: 'call', id: 'call_b', tool: 'bash', input: '{"command":"pwd"}' };
const lsCall = { type: 'call', id: 'call_a', tool: 'bash', input: { command: 'ls 数据' } };
const pwdCall = { type: 'call', id: 'call_b', tool: 'bash', input: { command: 'pwd' } };
const hello: Part = { kind: 'text', text: 'Hello 👋, wörld.\n\nBye.' };
const helloBlock = { type: 'text', text: 'Hello 👋, wörld.\n\nBye.' };

const odd = (script: ReturnType<typeof say>, ...quirks: Quirk[]): Script => ({ ...script, quirks });
/** What the server of a dialect signs a thought with. */
function signatureFrom({ name }: { name: string }, words: string): string {
  if (/anthropic|bedrock|vertex/.test(name)) return signatureOf(words);
  if (name === 'ollama') return 'field:thinking';
  return name === 'openai' ? `reasoning_item:${JSON.stringify(reasoningItem(words))}` : 'field:reasoning_content';
}

/** A thought and the words and calls that it led to, as an answer of a dialect is stored: Gemini signs the first call. */
function thoughtfulAnswer(dialect: { name: string }, words: string): unknown[] {
  const thought = (text: string, signature: string | null) => ({ type: 'thinking', text, signature });
  if (dialect.name !== 'gemini') return [thought(words, signatureFrom(dialect, words)), helloBlock, lsCall, pwdCall];
  const functionCall = { id: 'call_a', name: 'bash', args: { command: 'ls 数据' } };
  const signature = `thought_signature:call:${geminiSignature(words, { functionCall })}`;
  return [thought(words, null), helloBlock, thought('', signature), lsCall, pwdCall];
}

const byBytes = (script: ReturnType<typeof say>): Script => ({ ...script, delivery: 'bytes' });

describe.each(DIALECTS)('$name answers', (dialect) => {
  test('with text in pieces, its usage and its end', () =>
    withModelServer(async (server) => {
      server.script(say(hello));
      const { answer, events, failure } = await ask(dialect, server);
      expect(failure).toBeNull();
      expect(answer.blocks).toEqual([helloBlock]);
      expect(answer.end).toBe('answered');
      expect(answer.usage?.output).toBe(42);
      expect(events.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(3);
      expect(events.at(-1)).toEqual({ kind: 'end', reason: 'answered' });
      expect(server.requests).toHaveLength(1);
    }));

  test('with text and several calls in the model’s order', () =>
    withModelServer(async (server) => {
      server.script(say(hello, LS, PWD));
      const { answer, events } = await ask(dialect, server);
      expect(answer.blocks).toEqual([helloBlock, lsCall, pwdCall]);
      expect(answer.end).toBe('calls');
      const begun = events.flatMap((event) => (event.kind === 'call_begun' ? [event.id] : []));
      const made = events.findIndex(({ kind }) => kind === 'call_made');
      expect(begun).toEqual(['call_a', 'call_b']);
      expect(events.findIndex(({ kind }) => kind === 'call_begun')).toBeLessThan(made);
    }));

  test('the same when the stream is split at every byte', () =>
    withModelServer(async (server) => {
      server.script(byBytes(say({ kind: 'thinking', text: 'Hm 🤔.' }, hello, LS, PWD)));
      const { answer, failure } = await ask(dialect, server);
      expect(failure).toBeNull();
      expect(answer.blocks).toEqual(thoughtfulAnswer(dialect, 'Hm 🤔.'));
    }));

  test('the same with line ends of two characters', () =>
    withModelServer(async (server) => {
      server.script({ ...say(hello, LS), delivery: 'bytes', lineEnd: 'crlf' });
      expect((await ask(dialect, server)).answer.blocks).toEqual([helloBlock, lsCall]);
    }));

  test('the same among pings, comments and events that nobody knows', () =>
    withModelServer(async (server) => {
      server.script(odd(say(hello, LS), 'pings', 'unknown_events'));
      const { answer, failure } = await ask(dialect, server);
      expect(failure).toBeNull();
      expect(answer.blocks).toEqual([helloBlock, lsCall]);
    }));

  test('with whole characters although the server cut them in two', () =>
    withModelServer(async (server) => {
      server.script(odd(say(hello, LS), 'split_surrogates'));
      const { answer, events } = await ask(dialect, server);
      expect(answer.blocks).toEqual([helloBlock, lsCall]);
      expect(events.every((event) => event.kind !== 'text' || event.text.isWellFormed())).toBe(true);
    }));

  test('without usage where the server tells none', () =>
    withModelServer(async (server) => {
      server.script(odd(say(hello), 'no_usage'));
      const { answer, failure } = await ask(dialect, server);
      expect(failure).toBeNull();
      expect(answer).toMatchObject({ usage: null, end: 'answered', blocks: [helloBlock] });
    }));

  test('also without the event that closes the stream', () =>
    withModelServer(async (server) => {
      server.script(odd(say(hello), 'no_stop_event'));
      expect(await ask(dialect, server)).toMatchObject({ failure: null, answer: { end: 'answered' } });
    }));

  test('also when the server leaves the connection open afterwards', () =>
    withModelServer(async (server) => {
      server.script({ ...say(hello), delivery: 'left_open' });
      expect(await ask(dialect, server)).toMatchObject({ failure: null, answer: { end: 'answered' } });
    }));

  test('over one connection, which the next request finds open', () =>
    withModelServer(async (server) => {
      const timers = manualTimers();
      const provider = dialect.make(timers);
      await hear(provider, requestTo(dialect, server));
      // The connection is free when nobody waits for its end any more.
      while (timers.running().length > 0) await setImmediate();
      await hear(provider, requestTo(dialect, server));
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
    }));

  test.each(['sensitive', 'constructor'])('as usual when the reason of the end is a word like %s', (stop) =>
    withModelServer(async (server) => {
      server.script({ ...say(hello), stop });
      expect((await ask(dialect, server)).answer.end).toBe('answered');
    }),
  );

  test.each(['max_tokens', 'refused'] as const)('with the end %s', (end) =>
    withModelServer(async (server) => {
      server.script({ ...say(hello, LS), end });
      const { answer } = await ask(dialect, server);
      // Ollama has no word for a refusal.
      expect(answer.end).toBe(dialect.name === 'ollama' && end === 'refused' ? 'calls' : end);
      expect(answer.blocks).toEqual([helloBlock, lsCall]);
    }),
  );

  test.each([[[]], [[{ kind: 'text', text: ' \n' }]], [[{ kind: 'thinking', text: 'Hm.' }]]] as Part[][][])(
    'with the end empty when it says nothing',
    (parts) =>
      withModelServer(async (server) => {
        server.script(say(...parts));
        expect((await ask(dialect, server)).answer.end).toBe('empty');
      }),
  );

  test('with an empty input for a call without arguments', () =>
    withModelServer(async (server) => {
      server.script(say({ ...LS, input: '' }));
      expect((await ask(dialect, server)).answer.blocks).toEqual([{ ...lsCall, input: {} }]);
    }));

  test('with ids of its own where two calls have the same', () =>
    withModelServer(async (server) => {
      server.script(odd(say({ ...LS, id: '' }, { ...PWD, id: '' }), 'whole_calls'));
      const { answer } = await ask(dialect, server);
      expect(answer.blocks).toEqual([
        { ...lsCall, id: 'call_1_0' },
        { ...pwdCall, id: 'call_1_1' },
      ]);
    }));
});

describe.each(DIALECTS.filter(({ name }) => name !== 'gemini'))(
  '$name, which passes on what a model writes, answers',
  (dialect) => {
    test.each([
      ['{"command": "ls', /is not valid JSON/],
      ['[1, 2]', /is not a JSON object/],
      ['{"n": 1e999}', /finite numbers/],
      [`{"n": ${'['.repeat(200)}${']'.repeat(200)}}`, /too many levels/],
    ])('with a malformed call for the input %j', (input, problem) =>
      withModelServer(async (server) => {
        server.script(say({ ...LS, input }, PWD));
        const { answer } = await ask(dialect, server);
        expect(answer.blocks).toEqual([{ ...lsCall, input: { not_json: input } }, pwdCall]);
        expect([...answer.malformed.keys()]).toEqual(['call_a']);
        expect(answer.malformed.get('call_a')).toMatch(problem);
        expect(answer.end).toBe('calls');
      }),
    );
  },
);

describe('anthropic answers alone', () => {
  const [dialect] = DIALECTS;
  if (dialect === undefined) throw new Error('there is no dialect');

  test('with thinking that is hidden, kept so that it can be sent back', () =>
    withModelServer(async (server) => {
      server.script(say({ kind: 'hidden_thinking', data: 'hidden-abc' }, hello));
      const hidden = { type: 'thinking', text: '', signature: 'redacted_thinking:hidden-abc' };
      expect((await ask(dialect, server)).answer.blocks).toEqual([hidden, helloBlock]);
    }));

  test('with the end context_too_long when the window was full', () =>
    withModelServer(async (server) => {
      server.script({ ...say(hello), end: 'context_too_long' });
      expect((await ask(dialect, server)).answer.end).toBe('context_too_long');
    }));

  test('with thinking that is signed but not shown', () =>
    withModelServer(async (server) => {
      server.script(say({ kind: 'thinking', text: '' }, hello));
      const signed = { type: 'thinking', text: '', signature: signatureOf('') };
      expect((await ask(dialect, server)).answer.blocks).toEqual([signed, helloBlock]);
    }));
});
