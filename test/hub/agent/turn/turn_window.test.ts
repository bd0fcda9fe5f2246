import { expect, test } from 'vitest';
import { say } from '../../../support/model/script.js';
import { withModelServer } from '../../../support/model_server.js';
import { withAgent } from '../../../support/turns.js';
import { words } from './turn_calls.js';

const anyone = (text: string) => ({ ...say(words(text)), kind: 'say_to_anyone' as const });

test('a conversation with a model of Ollama is summarised when the context that it was loaded with is nearly full', () =>
  withAgent(async ({ say: ask, run, client, server }) => {
    const access = { ollama: { base_url: server.origin, key: null } };
    const options = { access, window: 16_384, change: { model: 'ollama/qwen3:8b' } };
    const long = 'word '.repeat(7_000);
    server.script(anyone('First.'), anyone('Summary of it all.'), anyone('Second.'));
    const first = await run(await ask(long), options);
    const second = await run(await ask('and now?', first.tip), options);
    expect({ ...second, text: second.text }).toMatchObject({ state: 'done', text: 'Second.' });
    const sent = server.requests.map(({ text }) => [text.includes('word word'), text.includes('Summary of it all.')]);
    expect(sent).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(server.ollama.runner).toMatchObject({ context: 16_384, loads: 1 });
    const estimate = { node: second.tip, ...options, compact: undefined };
    const { node, change, window } = estimate;
    expect(await client.call('agent.estimate', { node, access, change, window })).toMatchObject({ window: 16_384 });
    // What the server decides is known without the person.
    expect(await client.call('agent.estimate', { node, access, change })).toMatchObject({ window: 40_960 });
  }));

test('a message that alone is too long for the context ends the turn with what helps, and is not sent', () =>
  withAgent(async ({ say: ask, run, server }) => {
    const access = { ollama: { base_url: server.origin, key: null } };
    const node = await ask('word '.repeat(20_000));
    const outcome = await run(node, { access, window: 16_384, change: { model: 'ollama/qwen3:8b' } });
    expect(outcome).toMatchObject({ state: 'failed', failure: { data: { kind: 'context_too_long' } } });
    expect(outcome.failure?.message).toMatch(/about 2\d{4} tokens, and its window has 16384$/);
    expect(server.requests).toEqual([]);
  }));

test('an Ollama that does not run is told of at once, and is not asked again', async () => {
  const base_url = await withModelServer(async ({ origin }) => origin);
  await withAgent(async ({ say: ask, begin }) => {
    const change = { model: 'ollama/qwen3:8b' };
    const turn = begin(await ask('hello'), { change, access: { ollama: { base_url, key: null } } });
    expect(await turn.outcome).toMatchObject({
      failure: { data: { kind: 'network', hint: 'start it with: ollama serve' } },
    });
    expect(turn.events.filter(({ kind }) => kind === 'request_started')).toHaveLength(1);
  });
});
