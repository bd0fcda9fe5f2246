import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type CallContext, type Handlers, RawJson } from '../../../hub/base/plugin.js';
import { STREAMS_MAX } from '../../../hub/routing/calls_under_way.js';
import { UNDER_WAY_MAX } from '../../../hub/server/frame_queue.js';
import { UNREAD_BYTES_MAX, UNREAD_SLOW_BYTES } from '../../../hub/server/send_buffer.js';
import { type RawCaller, withServer } from '../serving.js';

const tree = '00000000-0000-4000-8000-000000000001';
const request = (id: unknown, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });
const watch = (id: unknown, stream: string) => request(id, 'loom.watch', { stream });

/** A promise and the function that settles it. */
function signalled(): { happened: Promise<void>; happen(): void } {
  let happen: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen: () => happen() };
}

async function aborted({ signal }: CallContext): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Events at once, then nothing until it is cancelled. */
const loom: Handlers = {
  'loom.watch': async (_params, context) => {
    context.emit({ kind: 'watch_live', seq: 1, epoch: 'e' });
    context.emit(new RawJson('{"kind":"raw"}'));
    await aborted(context);
    context.emit({ kind: 'late' });
    return { seq: 2 };
  },
  'loom.fsck': async (_params, context) => {
    await aborted(context);
    throw Object.assign(new Error('stopped'), { name: 'AbortError' });
  },
  'loom.tree_get': async () => new RawJson('{}'),
};

async function withCaller<T>(handlers: Handlers, use: (caller: RawCaller) => Promise<T>): Promise<T> {
  return withServer(handlers, async ({ dial }) => use(await dial()));
}

describe('a stream', () => {
  test('carries numbered events until the answer', async () => {
    await withCaller(loom, async ({ send, next }) => {
      send(watch(1, 's'));
      expect(await next()).toEqual({
        jsonrpc: '2.0',
        method: 'stream.event',
        params: { stream: 's', seq: 1, event: { kind: 'watch_live', seq: 1, epoch: 'e' } },
      });
      expect(await next()).toMatchObject({ params: { stream: 's', seq: 2, event: { kind: 'raw' } } });
      send(request(2, 'rpc.cancel', { id: 1 }));
      expect(await next()).toMatchObject({ params: { seq: 3, event: { kind: 'late' } } });
      expect(await next()).toEqual({ jsonrpc: '2.0', id: 2, result: { cancelled: true } });
      expect(await next()).toEqual({ jsonrpc: '2.0', id: 1, result: { seq: 2 } });
    });
  });

  test('belongs to one call at a time', async () => {
    await withCaller(loom, async ({ send, next }) => {
      send(watch(1, 's'));
      send(watch(2, 's'));
      await next();
      await next();
      expect((await next()).error?.message).toBe('the stream "s" is in use by a call under way');
    });
  });

  test(`is one of at most ${STREAMS_MAX} of a connection`, async () => {
    await withCaller(loom, async ({ send, next }) => {
      for (let id = 0; id <= STREAMS_MAX; id += 1) send(watch(id, `s${id}`));
      for (let events = 0; events < STREAMS_MAX * 2; events += 1) await next();
      expect((await next()).error?.data.kind).toBe('limit');
    });
  });
});

describe('rpc.cancel', () => {
  test('ends a call, which is answered as cancelled', async () => {
    await withCaller(loom, async ({ send, next }) => {
      send(request('long', 'loom.fsck', {}));
      send(request(2, 'rpc.cancel', { id: 'long' }));
      expect(await next()).toMatchObject({ id: 2, result: { cancelled: true } });
      expect((await next()).error).toEqual({
        code: -32010,
        message: 'loom.fsck was cancelled',
        data: { kind: 'cancelled', hint: null, retryable: false, details: {} },
      });
    });
  });

  test('does not reach the calls of another connection, nor one by an id of another type', async () => {
    await withServer(loom, async ({ dial }) => {
      const [one, other] = [await dial(), await dial()];
      one.send(watch(1, 's'));
      await one.next();
      other.send(request(9, 'rpc.cancel', { id: 1 }));
      expect((await other.next()).result).toEqual({ cancelled: false });
      await one.next();
      one.send(request(2, 'rpc.cancel', { id: '1' }));
      expect((await one.next()).result).toEqual({ cancelled: false });
    });
  });

  test('needs unique ids: a second call under the same id is refused', async () => {
    await withCaller(loom, async ({ send, next }) => {
      send(request(7, 'loom.fsck', {}));
      send(request(7, 'loom.tree_get', { tree }));
      expect((await next()).error?.message).toBe('the request id 7 is in use by a call under way');
    });
  });
});

describe('when the caller goes away', () => {
  test('a reading call is aborted and a writing one is finished', async () => {
    const read = signalled();
    const write = signalled();
    const begun = signalled();
    const gone = signalled();
    const handlers: Handlers = {
      'loom.fsck': async (_params, context) => {
        await aborted(context);
        read.happen();
        gone.happen();
        throw new Error('aborted');
      },
      'loom.tree_update': async (_params, { signal }) => {
        begun.happen();
        await gone.happened;
        if (!signal.aborted) write.happen();
        throw new Error('nobody reads this');
      },
    };
    await withCaller(handlers, async ({ socket, send }) => {
      send(request(1, 'loom.fsck', {}));
      send(request(2, 'loom.tree_update', { tree, name: null }));
      await begun.happened;
      socket.terminate();
      await read.happened;
      await write.happened;
    });
  });
});

describe('a caller that asks faster than it is answered', () => {
  test(`has ${UNDER_WAY_MAX} calls under way, and gets every answer in the end`, async () => {
    const total = UNDER_WAY_MAX * 10;
    const full = signalled();
    const open = signalled();
    let most = 0;
    let underWay = 0;
    const handlers: Handlers = {
      'loom.tree_get': async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        if (underWay === UNDER_WAY_MAX) full.happen();
        await open.happened;
        underWay -= 1;
        return new RawJson('{}');
      },
    };
    await withCaller(handlers, async ({ send, next }) => {
      for (let id = 0; id < total; id += 1) send(request(id, 'loom.tree_get', { tree }));
      await full.happened;
      open.happen();
      for (let id = 0; id < total; id += 1) await next();
      expect(most).toBe(UNDER_WAY_MAX);
    });
  });
});

describe('a caller that does not read', () => {
  const piece = new RawJson(JSON.stringify('x'.repeat(100_000)));

  test('slows down only its own stream', async () => {
    const stuck = signalled();
    let emitted = 0;
    const handlers: Handlers = {
      ...loom,
      'loom.watch': async (_params, context) => {
        const end = aborted(context);
        while (!context.signal.aborted) {
          context.emit(piece);
          emitted += 1;
          if (emitted * 100_000 > 8 * UNREAD_SLOW_BYTES) stuck.happen();
          await Promise.race([context.drained(), end]);
        }
        return { seq: 0 };
      },
    };
    await withServer(handlers, async ({ dial }) => {
      const [slow, quick] = [await dial(), await dial()];
      slow.socket.pause();
      slow.send(watch(1, 's'));
      quick.send(request(1, 'loom.tree_get', { tree }));
      expect(await quick.next()).toMatchObject({ id: 1, result: {} });
      quick.send(request(2, 'loom.tree_get', { tree }));
      await quick.next();
      const whileStuck = emitted;
      slow.socket.resume();
      await stuck.happened;
      expect(whileStuck * 100_000).toBeLessThan(8 * UNREAD_SLOW_BYTES);
      slow.socket.terminate();
    });
  });

  test('is dropped when too many bytes are unread', async () => {
    const handlers: Handlers = {
      'loom.watch': async (_params, context) => {
        for (let bytes = 0; bytes < 2 * UNREAD_BYTES_MAX; bytes += 100_000) context.emit(piece);
        await aborted(context);
        return { seq: 0 };
      },
    };
    await withServer(handlers, async ({ dial, lines }) => {
      const caller = await dial();
      caller.socket.pause();
      caller.send(watch(1, 's'));
      const other = await dial();
      other.send(request(1, 'rpc.cancel', { id: 0 }));
      await other.next();
      caller.socket.resume();
      expect(await caller.closed).toBe(1006);
      expect(lines).toContain('warn connection 1 does not read what it asked for; it is dropped');
    });
  });
});
