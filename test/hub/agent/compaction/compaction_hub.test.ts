import { expect, test } from 'vitest';
import { breaking, say } from '../../../support/model/script.js';
import { accessTo, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

test('a hub that is killed while a path is summarised loses nothing, and pays for no second summary unless asked again', async () => {
  await withAgent(async ({ hub, server, tree, say: ask, run, path }) => {
    server.script(say(words('Forty-two.')));
    const { tip } = await run(await ask('Count the beans.'));
    const before = await path(tip);
    server.script(breaking('hang', words('## As')));
    const client = await hub.connect();
    const given = { tree, node: tip, access: accessTo(server) };
    const cut = client.call('agent.compact', given).then(
      (outcome) => outcome.state,
      (error: unknown) => String(error),
    );
    await server.hanging();
    const requests = server.requests.length;
    server.script(say(words('## Asked\nBeans.')));
    await hub.kill();
    // A client sends its call again to the next hub by itself.
    expect(await cut).toBe('interrupted');
    expect(server.requests).toHaveLength(requests);
    const other = await hub.connect();
    expect((await other.call('loom.context_get_path', { node: tip })).nodes).toEqual(before);
    const again = await other.call('agent.compact', given);
    expect(again.state).toBe('done');
    const { turns } = await other.call('loom.turn_list', { tree });
    expect(turns.map(({ state }) => state)).toContain('interrupted');
    expect((await other.call('loom.fsck', {})).problems).toEqual([]);
  });
});

test('a summary that is asked for keeps the cache for as long as the person wants', () =>
  withAgent(async ({ hub, server, tree, say: ask, run }) => {
    server.script(say(words('Forty-two.')), say(words('## Asked\nBeans.')));
    const { tip } = await run(await ask('Count the beans.'), { cache: '1h' });
    const client = await hub.connect();
    await client.call('agent.compact', { tree, node: tip, access: accessTo(server), cache: '1h' });
    const told = server.requests.map(({ text }) => [...new Set(text.match(/"ttl":"\w+"/g))]);
    expect(told).toEqual([['"ttl":"1h"'], ['"ttl":"1h"']]);
  }));

test('after a hub is killed the next one continues below the summary, with the open request', async () => {
  await withAgent(async ({ hub, server, tree, say: ask, run, begin }) => {
    server.script(say(words('Yes.')));
    const { tip } = await run(await ask(`Read this. ${'Words and words. '.repeat(2_000)}`));
    server.script(
      say(call('c1', 'bash', { command: 'seq 1 9000' })),
      say(words('## Asked\nBeans.')),
      breaking('hang', words('Pa')),
    );
    const request = await ask('Now paint it blue.', tip);
    const turn = begin(request, { window: 20_000 });
    const cut = turn.outcome.then(
      () => 'ended',
      () => 'cut',
    );
    const { node: summary } = await turn.event('context_compacted');
    await server.hanging();
    server.script(say(words('Painted.')));
    await hub.kill();
    await cut;
    const other = await hub.connect();
    const { turns } = await other.call('loom.turn_list', { tree });
    expect(turns.find(({ node }) => node === request)).toMatchObject({ tip: summary, state: 'interrupted' });
    const again = { tree, node: summary, access: accessTo(server), cwd: process.cwd() };
    expect(await other.call('agent.run', again)).toMatchObject({ state: 'done', text: 'Painted.' });
    expect(server.requests.at(-1)?.text).toContain('Now paint it blue.');
    expect((await other.call('loom.fsck', {})).problems).toEqual([]);
  });
});
