import { expect, test } from 'vitest';
import { homePaths } from '../../../../hub/config/config.js';
import { openStore } from '../../../../loom/store/store.js';
import { say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { words } from '../turn/turn_calls.js';

test('nothing of a path with a damaged node is sent to a model, and it is said where to go on', async () => {
  await withAgent(async ({ hub, say: ask, run, server, client, tree }) => {
    const first = await ask('one');
    server.script(say(words('Two.')), say(words('Four.')));
    const { tip } = await run(first);
    const last = await ask('three', tip);
    await hub.kill();
    const store = openStore({ path: homePaths(hub.home).database, access: 'write', synchronous: 'full' });
    store.run("UPDATE nodes SET blocks = replace(blocks, 'Two', 'Twp')");
    store.close();

    const refusal = {
      kind: 'storage_failed',
      message: `node ${tip.slice(0, 8)} on this path is damaged, so no model is sent any of it`,
      hint: expect.arrayContaining([expect.objectContaining({ command: 'ask' })]),
    };
    await expect(run(last)).rejects.toMatchObject(refusal);
    await expect(client.call('agent.compact', { tree, node: last, access: {}, change: null })).rejects.toMatchObject(
      refusal,
    );
    await expect(client.call('context.model', { node: last })).rejects.toMatchObject(refusal);
    expect(server.requests).toHaveLength(1);
    const shown = await client.call('context.render', { node: last });
    expect(JSON.stringify(shown)).toContain('[damaged: ');
    expect(JSON.stringify(shown)).not.toContain('Twp');
    // Before it one can go on.
    expect(await run(first)).toMatchObject({ state: 'done', text: 'Four.' });
  });
});
