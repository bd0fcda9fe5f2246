import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Handlers, RawJson } from '../../../hub/base/plugin.js';
import { HELD_BYTES_MAX } from '../../../hub/server/held_bytes.js';
import { call, frame, openRaw } from '../../gauntlet/raw_socket.mjs';
import { withServer } from '../serving.js';

const MIB = 1024 * 1024;
const tree = '00000000-0000-4000-8000-000000000001';
const request = (id: unknown, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });

const page = new RawJson(Buffer.from(JSON.stringify('x'.repeat(4 * MIB))));

function counting(): { handlers: Handlers; count(): number } {
  let count = 0;
  const handlers: Handlers = {
    'loom.mark_list': async () => {
      count += 1;
      return { marks: [], cursor: null };
    },
    'loom.tree_get': async () => new RawJson('{}'),
    'loom.settings_get': async () => page,
  };
  return { handlers, count: () => count };
}

describe('a caller that sends 24,000 notifications at once', () => {
  test('has them all served, and others are answered meanwhile', async () => {
    const { handlers, count } = counting();
    await withServer(handlers, async ({ dial, socket }) => {
      const flood = await openRaw(socket);
      const other = await dial();
      flood.write(Buffer.concat(Array.from({ length: 24_000 }, () => call('loom.mark_list', { tree }))));
      while (count() === 0) await nextTurn();
      other.send(request(1, 'loom.tree_get', { tree }));
      await other.next();
      expect(count()).toBeLessThan(12_000);
      while (count() < 24_000) await nextTurn();
      flood.destroy();
    });
  });

  test('has the calls of a batch served one after the other too, and gets their answers in order', async () => {
    const { handlers } = counting();
    await withServer(handlers, async ({ dial }) => {
      const [batches, other] = [await dial(), await dial()];
      const ids = Array.from({ length: 100 }, (_, id) => id);
      for (let batch = 0; batch < 200; batch += 1)
        batches.send(ids.map((id) => request(id, 'loom.mark_list', { tree })));
      other.send(request('other', 'loom.tree_get', { tree }));
      expect(await other.next()).toMatchObject({ id: 'other' });
      const answers: unknown = await batches.next();
      expect(Array.isArray(answers) && answers.map(({ id }) => id)).toEqual(ids);
    });
  });
});

describe('callers that do not read', () => {
  test('are dropped when the hub holds too much for all of them, and who reads is not', async () => {
    const { handlers } = counting();
    await withServer(handlers, async ({ dial, lines }) => {
      const deaf = await Promise.all(Array.from({ length: 20 }, () => dial()));
      const reading = await dial();
      for (const { socket, send } of deaf) {
        socket.pause();
        for (let id = 0; id < 8; id += 1) send(request(id, 'loom.settings_get', { sha256: 'a'.repeat(64) }));
      }
      for (let id = 0; id < 20; id += 1) {
        reading.send(request(id, 'loom.settings_get', { sha256: 'a'.repeat(64) }));
        expect(await reading.next()).toMatchObject({ id });
      }
      const dropped = lines.filter((line) => line.includes('it is dropped'));
      expect(dropped.length).toBeGreaterThan(0);
      for (const line of dropped)
        expect(line).toMatch(/^warn connection ([1-9]|1\d|20) has not read the most of \d+ bytes/);
      reading.send(request('last', 'loom.tree_get', { tree }));
      expect(await reading.next()).toMatchObject({ id: 'last' });
    });
  });
});

describe('callers that begin large messages', () => {
  test('and end none keep the hub from holding more than its limit, and others are served', async () => {
    const { handlers } = counting();
    await withServer(handlers, async ({ dial, socket, server }) => {
      const start = frame(Buffer.alloc(31 * MIB, 0x20), { length: 32 * MIB });
      const callers = await Promise.all(Array.from({ length: 8 }, () => openRaw(socket)));
      for (const caller of callers) caller.write(start);
      const other = await dial();
      for (let id = 0; id < 50; id += 1) {
        other.send(request(id, 'loom.tree_get', { tree }));
        expect(await other.next()).toMatchObject({ id });
        expect(server.heldBytes()).toBeLessThan(HELD_BYTES_MAX);
      }
      for (const caller of callers) caller.destroy();
    });
  });

  test('and end them are all answered, though together they are more than the hub holds', async () => {
    const { handlers } = counting();
    await withServer(handlers, async ({ dial, lines }) => {
      const callers = await Promise.all(Array.from({ length: 6 }, () => dial()));
      for (const caller of callers) caller.send(request(1, 'loom.tree_get', { tree, text: 'x'.repeat(30 * MIB) }));
      for (const caller of callers) expect((await caller.next()).error?.data.kind).toBe('invalid_params');
      expect(lines.filter((line) => line.includes('dropped'))).toEqual([]);
    });
  });
});

test('what a caller sends after a large message is begun after it', async () => {
  const begun: string[] = [];
  const noting = (what: string) => async () => {
    begun.push(what);
    return new RawJson('{}');
  };
  const handlers = { 'loom.node_create_text': noting('large'), 'loom.tree_get': noting('small') };
  await withServer(handlers, async ({ dial }) => {
    const caller = await dial();
    const blocks = [{ type: 'text', text: 'x'.repeat(2 * MIB) }];
    caller.send(request(1, 'loom.node_create_text', { tree, parent: tree, role: 'user', blocks }));
    caller.send(request(2, 'loom.tree_get', { tree }));
    await caller.next();
    await caller.next();
    expect(begun).toEqual(['large', 'small']);
  });
});

test('a flood of pings ends its own connection', async () => {
  const { handlers } = counting();
  await withServer(handlers, async ({ dial, socket }) => {
    const [flooding, other] = [await openRaw(socket), await dial()];
    flooding.resume();
    flooding.write(Buffer.concat(Array<Buffer>(5_000).fill(frame('x', { opcode: 9 }))));
    await once(flooding, 'close');
    other.send(request(1, 'loom.tree_get', { tree }));
    expect(await other.next()).toMatchObject({ id: 1 });
  });
});

test('a long answer goes out in pieces between which its text is whole', async () => {
  const text = 'ü€'.repeat(MIB);
  const handlers: Handlers = {
    'loom.settings_get': async () => new RawJson(Buffer.from(JSON.stringify(text))),
    'loom.tree_get': async () => new RawJson(JSON.stringify(text)),
    'loom.mark_list': async () => ({ marks: [], cursor: null }),
  };
  await withServer(handlers, async ({ dial }) => {
    const caller = await dial();
    caller.send(request(1, 'loom.settings_get', { sha256: 'a'.repeat(64) }));
    caller.send(request(2, 'loom.tree_get', { tree }));
    caller.send(request(3, 'loom.mark_list', { tree }));
    caller.send([request(4, 'loom.settings_get', { sha256: 'a'.repeat(64) }), request(5, 'loom.mark_list', { tree })]);
    expect(await caller.next()).toEqual({ jsonrpc: '2.0', id: 1, result: text });
    expect(await caller.next()).toEqual({ jsonrpc: '2.0', id: 2, result: text });
    expect(await caller.next()).toMatchObject({ id: 3 });
    expect(await caller.next()).toEqual([
      { jsonrpc: '2.0', id: 4, result: text },
      { jsonrpc: '2.0', id: 5, result: { marks: [], cursor: null } },
    ]);
  });
});
