import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

// The smallest image: one black dot.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

test.each(['anthropic/claude-sonnet-5', 'openai/gpt-5.6-sol', 'ollama/qwen3-vl:8b', 'gemini/gemini-3.8-flash'])(
  'a turn of %s calls a tool, sees what it gave, and answers',
  async (model) => {
    await withAgent(async ({ say: ask, run, path, server, project }) => {
      writeFileSync(join(project, 'dot.png'), PNG);
      server.script(
        say(words('Hm.'), call('c1', 'bash', { command: 'echo seen' }), call('c2', 'read', { path: 'dot.png' })),
        say(words('I saw it.')),
        say(words('Yes.')),
      );
      const access = {
        anthropic: { base_url: server.origin, key: KEY },
        openai: { base_url: server.openaiUrl, key: KEY },
        ollama: { base_url: server.origin, key: KEY },
        gemini: { base_url: server.origin, key: KEY },
      };
      const { state, tip, text } = await run(await ask('look'), { change: { model }, access });
      expect({ state, text }).toEqual({ state: 'done', text: 'I saw it.' });
      expect(told(await path(tip))).toContain('bash: seen\n');
      const [, second] = server.requests;
      expect(second?.text).toContain('seen\\n');
      expect(second?.text).toContain(PNG.toString('base64'));
      expect((await run(await ask('again', tip), { change: null, access })).state).toBe('done');
    });
  },
);

test('a turn of the demo model needs no key and costs nothing', async () => {
  await withAgent(async ({ say: ask, run, path, project }) => {
    writeFileSync(join(project, 'main.py'), '');
    const node = await ask('list the python files');
    const outcome = await run(node, { change: { model: 'demo' }, access: {} });
    expect(outcome).toMatchObject({ state: 'done', price_microdollars: 0 });
    expect(outcome.text).toContain('I found 1 Python file');
    expect(told(await path(outcome.tip))).toContain('bash: main.py\n');
  });
});

test.each([
  ['rejected', 'rejected'],
  ['context_too_long', 'context_too_long'],
])('a failure of the kind %s ends the turn at once and is told', async (name, kind) => {
  await withAgent(async ({ say: ask, run, client, tree }) => {
    const node = await ask(`demo: fail ${name}`);
    const outcome = await run(node, { change: { model: 'demo' }, access: {} });
    expect(outcome).toMatchObject({ state: 'failed', tip: node, failure: { data: { kind } } });
    const { requests } = await client.call('loom.request_list', { tree });
    expect(requests).toMatchObject([{ outcome: kind }]);
  });
});
