import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, say } from '../../../support/model/script.js';
import { KEY, type ModelServer } from '../../../support/model_server.js';
import { withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

// The smallest image: one black dot.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);
const LINE = '[image 1x1 image/png] (left out: it is not accepted)';

function accessTo({ origin, openaiUrl }: ModelServer) {
  const own = { base_url: origin, key: KEY };
  return { anthropic: own, gemini: own, openai: { ...own, base_url: openaiUrl } };
}

test.each([
  ['anthropic/claude-sonnet-5', 'messages.2.content.0.image.source.base64: Could not process image'],
  ['openai/gpt-5.6-sol', 'You uploaded an unsupported image. Please make sure your image is valid.'],
  ['gemini/gemini-3.8-flash', 'Unable to process input image. Please retry.'],
])('a turn of %s goes on without an image that the server refuses, and says so once', async (model, message) => {
  await withAgent(async ({ say: ask, begin, run, client, server, project }) => {
    writeFileSync(join(project, 'dot.png'), PNG);
    const refused = fail(400, message, { type: 'invalid_request_error' });
    server.script(say(call('c1', 'read', { path: 'dot.png' })), refused, say(call('c2', 'bash', { command: 'true' })));
    server.script(say(words('It is black, I guess.')));
    const access = accessTo(server);
    const turn = begin(await ask('Look at it.'), { change: { model }, access });
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ state: 'done', text: 'It is black, I guess.' });
    const told = turn.events.flatMap((event) => (event.kind === 'images_left_out' ? [event.message] : []));
    expect(told).toEqual([expect.stringContaining(message)]);
    for (const { text } of server.requests.slice(-2)) {
      expect(text).not.toContain(PNG.toString('base64'));
      expect(text).toContain(LINE);
    }
    // The image stays on the path: another server may take it.
    server.script(say(words('Black.')));
    const next = await run(await ask('And now?', outcome.tip), { access });
    expect(next.state).toBe('done');
    expect(server.requests.at(-1)?.text).toContain(PNG.toString('base64'));
    const { total } = await client.call('loom.cost_get', { node: next.tip });
    expect(total.failed).toBe(1);
  });
});

test('a server that refuses again without images ends the turn, and so does one that says nothing of an image', async () => {
  await withAgent(async ({ say: ask, run, server, project }) => {
    writeFileSync(join(project, 'dot.png'), PNG);
    const refused = fail(400, 'Could not process image', { type: 'invalid_request_error' });
    server.script(say(call('c1', 'read', { path: 'dot.png' })), refused, refused);
    const first = await run(await ask('Look at it.'));
    expect(first).toMatchObject({ state: 'failed', failure: { data: { kind: 'rejected' } } });
    expect(server.requests).toHaveLength(3);
    server.script(fail(400, 'temperature is wrong', { type: 'invalid_request_error' }));
    expect(await run(first.tip)).toMatchObject({ state: 'failed' });
    expect(server.requests).toHaveLength(4);
  });
});

test('a path with an image that is refused is summarised without it', async () => {
  await withAgent(async ({ say: ask, run, client, tree, server, project }) => {
    writeFileSync(join(project, 'dot.png'), PNG);
    server.script(say(call('c1', 'read', { path: 'dot.png' })), say(words('Black.')));
    const { tip } = await run(await ask('Look at it.'));
    server.script(
      fail(400, 'Could not process image', { type: 'invalid_request_error' }),
      say(words('## Asked\nA dot.')),
    );
    const outcome = await client.call('agent.compact', { tree, node: tip, access: accessTo(server) });
    expect(outcome).toMatchObject({ state: 'done', text: expect.stringContaining('A dot.') });
  });
});
