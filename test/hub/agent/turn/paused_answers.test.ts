import { expect, test } from 'vitest';
import { listOf, objectOf } from '../../../support/model/prompt_cache.js';
import { type Part, type Script, say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

const thought = (text: string): Part => ({ kind: 'thinking', text });
const paused = (...parts: Part[]): Script => ({ ...say(...parts), stop: 'pause_turn' });

test('an answer that its server paused goes on by itself, and is one answer to who asked', () =>
  withAgent(async ({ say: ask, run, server, path }) => {
    server.script(
      paused(thought('first'), words('I look')),
      paused(thought('then'), words(' for it, and')),
      say(thought('now'), words(' here it is.')),
      say(words('Yes.')),
    );
    const { state, text, tip } = await run(await ask('where is it?'));
    expect({ state, text }).toEqual({ state: 'done', text: 'I look for it, and here it is.' });
    const roles = server.requests.map(({ body }) => listOf(body.messages).map((message) => objectOf(message).role));
    expect(roles).toEqual([['user'], ['user', 'assistant'], ['user', 'assistant']]);
    expect((await path(tip)).map(({ role }) => role)).toEqual(['root', 'user', 'assistant', 'assistant', 'assistant']);
    expect((await run(await ask('sure?', tip))).text).toBe('Yes.');
    expect(server.violations).toEqual([]);
    expect(server.requests.at(-1)?.text.match(/"type":"thinking","thinking"/g)).toHaveLength(3);
  }));

test('an answer that pauses behind its calls has them executed, and one that paused without a word is empty', () =>
  withAgent(async ({ say: ask, run, server }) => {
    server.script(paused(words('I run it.'), call('c1', 'bash', { command: 'true' })), say(words('Done.')), paused());
    const { text, tip } = await run(await ask('run it'));
    expect(text).toBe('Done.');
    expect(await run(await ask('again', tip))).toMatchObject({ state: 'stopped', why: 'empty' });
  }));

test('an answer that pauses for ever ends with the limit of answers', () =>
  withAgent(async ({ say: ask, run, server }) => {
    server.script(...Array.from({ length: 3 }, (_, n) => paused(words(`${n} `))));
    const outcome = await run(await ask('go'), { limits: { iterations: 3 } });
    expect(outcome).toMatchObject({ state: 'stopped', why: 'iterations', text: '0 1 2 ' });
    expect(server.requests).toHaveLength(3);
  }));
