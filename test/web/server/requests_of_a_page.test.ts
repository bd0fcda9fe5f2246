import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { allowed } from '../../../cli/web/page_methods.js';
import { readRequest } from '../../../cli/web/page_request.js';
import { METHODS } from '../../../hub/protocol/methods/method_table.js';
import { connectTo, killHub } from '../../support/hub.js';
import { callAs, withPagePlace } from './page_place.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'loom.tree_list', params: { limit: 5 } };
const text = JSON.stringify(LIST);

/** What our page never sends. */
const FOREIGN: [string, string][] = [
  ['a batch', `[${text}]`],
  ['a batch of batches', `[[${text}]]`],
  ['a notification', '{"jsonrpc":"2.0","method":"loom.tree_list","params":{}}'],
  ['an id of null', text.replace('"id":1', '"id":null')],
  ['an id of text', text.replace('"id":1', '"id":"1"')],
  ['an id that is no whole number', text.replace('"id":1', '"id":1.5')],
  ['an id below one', text.replace('"id":1', '"id":-1')],
  ['another version', text.replace('2.0', '1.0')],
  ['a method twice, the harmless one last', text.replace('"method"', '"method":"loom.tree_purge","method"')],
  ['a method twice, the harmless one first', text.replace(',"params"', ',"method":"loom.tree_purge","params"')],
  ['parameters twice', text.replace('}}', '},"params":{}}')],
  ['a key of the parameters twice', text.replace('"limit":5', '"limit":5,"limit":6')],
  ['an escaped key beside the same', text.replace('"limit":5', '"limit":5,"\\u006cimit":6')],
  ['an escaped method', text.replace('loom', '\\u006coom')],
  ['blanks', JSON.stringify(LIST, null, 1)],
  ['another order', '{"method":"loom.tree_list","jsonrpc":"2.0","id":1,"params":{}}'],
  ['one key more', text.replace('"id":1', '"id":1,"x":1')],
  ['a key that changes what objects are', text.replace('"id":1', '"__proto__":{},"id":1')],
  ['a number that is none', text.replace('"limit":5', '"limit":1e999')],
  ['parameters in a list', text.replace('{"limit":5}', '[5]')],
  ['no parameters', '{"jsonrpc":"2.0","id":1,"method":"loom.tree_list"}'],
  ['what is nested without end', text.replace('5', '['.repeat(200_000))],
  ['two requests', `${text}${text}`],
  ['a mark before the text', `\ufeff${text}`],
  ['no JSON', 'hello'],
  ['nothing', ''],
];

describe('a request of a page', () => {
  test('reaches the hub as it was checked', () => {
    expect(readRequest(text, false)).toEqual({ kind: 'hub', frame: text });
  });

  test.each(FOREIGN)('with %s is foreign', (_, frame) => {
    expect(readRequest(frame, true).kind).toBe('foreign');
  });

  test('with a parameter that pages do not give is refused', () => {
    const said = (method: string, params: object) =>
      readRequest(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }), true);
    for (const params of [{ owner: null }, { archived: true }, { ['__proto__']: 1 }, { constructor: 1 }]) {
      const refused = params.constructor === 1 || Object.keys(params).length > 0;
      expect(said('loom.tree_list', params)).toMatchObject(refused ? { kind: 'refused', id: 7 } : { kind: 'hub' });
    }
  });
});

test('no method of the hub is open to a page that writes, ends, runs or reaches a file', () => {
  const open = Object.keys(METHODS).filter((method) => allowed(method, true) !== null);
  expect(open.sort()).toEqual(
    [
      ...['agent.follow', 'agent.status', 'loom.blob_read', 'loom.context_get_path', 'loom.cost_shape'],
      ...['loom.mark_list', 'loom.node_get', 'loom.search', 'loom.tree_find', 'loom.tree_get', 'loom.tree_get_lines'],
      ...['loom.tree_get_shape', 'loom.tree_list', 'loom.watch'],
    ].sort(),
  );
  for (const method of ['constructor', '__proto__', 'toString', 'hasOwnProperty', '']) {
    expect(allowed(method, true)).toBeNull();
  }
});

test.each([
  ...['loom.tree_purge', 'loom.tree_archive', 'loom.mark_set', 'loom.node_create_text', 'agent.run', 'agent.answer'],
  ...['bash.open', 'bash.execute', 'file.read', 'file.write', 'http.fetch', 'postgres.query', 'health.stop'],
  ...['plugins.serve', 'rpc.discover', 'files.restore', 'loom.backup', 'page.say', 'page.archive', 'page.mark'],
])('a page that reads cannot call %s', (method) => {
  const frame = JSON.stringify({ jsonrpc: '2.0', id: 3, method, params: {} });
  expect(readRequest(frame, false)).toMatchObject({ kind: 'refused', id: 3 });
});

test('what is foreign closes the socket, and what is refused is an error', () =>
  withPagePlace(async (place) => {
    const page = await place.page(await place.newKey());
    expect(await callAs(page, 'loom.tree_purge', {})).toEqual({
      ...{ jsonrpc: '2.0', id: 1 },
      error: {
        ...{ code: -32_000, message: 'a page cannot call "loom.tree_purge"' },
        data: { kind: 'invalid_params', hint: null, retryable: false },
      },
    });
    expect(await callAs(page, 'page.say', {})).toMatchObject({
      error: { message: 'this page can only read: it was opened without --write' },
    });
    const closed = once(page, 'close');
    page.send(`[${text}]`);
    expect((await closed)[0]).toBe(1_008);
  }));

test('bytes and requests without end close the socket', () =>
  withPagePlace(async (place) => {
    const key = await place.newKey();
    const binary = await place.page(key);
    const binaryClosed = once(binary, 'close');
    binary.send(Buffer.from(text));
    expect((await binaryClosed)[0]).toBe(1_008);
    const large = await place.page(key);
    const largeClosed = once(large, 'close');
    large.send(JSON.stringify({ ...LIST, params: { project: 'a'.repeat(3_000_000) } }));
    expect((await largeClosed)[0]).toBe(1_009);
    expect(await callAs(await place.page(key), 'loom.tree_list', {})).toHaveProperty('result');
  }));

test('what a page does not read waits at the hub, and comes whole when it reads', () =>
  withPagePlace(async (place) => {
    const client = await connectTo(place.home);
    const { id: tree } = await client.call('loom.tree_create', {});
    const blocks = [{ type: 'text' as const, text: 'x'.repeat(500_000) }];
    for (let count = 0; count < 20; count += 1) {
      await client.call('loom.node_create_text', { tree, parent: tree as never, role: 'user', blocks }); // the root has the tree's id
    }
    await client.close();
    const page = await place.page(await place.newKey());
    page.pause();
    page.send(JSON.stringify({ ...LIST, method: 'loom.watch', params: { tree, since: 0, stream: 's' } }));
    const kinds: string[] = [];
    const isLive = new Promise<void>((resolve) => {
      page.on('message', (data) => {
        const { kind } = JSON.parse(String(data)).params.event;
        kinds.push(kind);
        if (kind === 'watch_live') resolve();
      });
    });
    page.resume();
    await isLive;
    expect(kinds.filter((kind) => kind === 'node_created')).toHaveLength(21);
  }));

test('a hub that dies closes the sockets of pages, and the next one finds another hub', () =>
  withPagePlace(async (place) => {
    const key = await place.newKey();
    const page = await place.page(key);
    expect(await callAs(page, 'loom.tree_list', {})).toHaveProperty('result');
    const closed = once(page, 'close');
    await killHub(place.home);
    expect((await closed)[0]).toBe(4_002);
    expect(await callAs(await place.page(key), 'loom.tree_list', {})).toHaveProperty('result');
  }));

test('a hub that was ended in order is not brought back by a page', () =>
  withPagePlace(async (place) => {
    const key = await place.newKey();
    const page = await place.page(key);
    expect(await callAs(page, 'loom.tree_list', {})).toHaveProperty('result');
    const closed = once(page, 'close');
    const client = await connectTo(place.home);
    await client.call('health.stop', {});
    await client.close();
    await closed;
    const next = await place.page(key);
    const [code, reason] = await once(next, 'close');
    expect([code, String(reason)]).toEqual([4_002, expect.stringMatching(/^no hub is running/)]);
  }));
