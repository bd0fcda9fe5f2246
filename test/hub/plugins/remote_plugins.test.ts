import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import { homePaths } from '../../../hub/config/config.js';
import { createPluginHost, READY_MS_MAX } from '../../../hub/plugins/remote_plugins.js';
import { FRAME_BYTES_MAX } from '../../../hub/protocol/limits.js';
import { createCalls } from '../../../hub/routing/calls_under_way.js';
import { createHub, type Hub } from '../../../hub/routing/hub.js';
import { createRpc } from '../../../hub/server/json_rpc.js';
import { startServer } from '../../../hub/server/server.js';
import { connectTo, hubEnded, withFolder, withHome, withHub } from '../../support/hub.js';

const SERVER = fileURLToPath(new URL('plugin_server.mjs', import.meta.url));
const policy = { kind: 'open' } as const;

interface Host {
  home: string;
  client: Client;
  connectAgain(): Promise<Client>;
  hub: Hub;
  connection(): number | null;
  lines: string[];
}

/** Runs a test with a hub in this process whose plugins another process serves. */
function withHost<T>(entry: string, use: (host: Host) => Promise<T>, readyMsMax = READY_MS_MAX): Promise<T> {
  return withFolder(async (home) => {
    mkdirSync(join(home, 'logs'));
    const lines: string[] = [];
    const log = (level: string, message: string) => void lines.push(`${level} ${message}`);
    const calls = createCalls();
    const logFile = homePaths(home).hubLog;
    const clock = Date.now;
    const host = createPluginHost({ entry, home, logFile, log, clock, readyMsMax, onChange: () => undefined });
    const hub = createHub({ plugins: host.plugins, log });
    const server = await startServer({
      ...{ socket: homePaths(home).socket, tcp: null, answer: createRpc({ hub, calls }), calls },
      ...{
        greeting: () => ({ version: '0.1.0', epoch: 'e', busy: calls.busy() }),
        onCount: () => undefined,
        isOwnProcess: (connection: number) => connection === host.connection(),
        log,
      },
    });
    const open: Client[] = [];
    const connectAgain = async (): Promise<Client> => {
      const client = await connectTo(home, { start: false });
      open.push(client);
      return client;
    };
    try {
      return await use({ home, client: await connectAgain(), connectAgain, hub, connection: host.connection, lines });
    } finally {
      for (const client of open) await client.close();
      await host.end();
      await server.close();
    }
  });
}

const ask = (client: Client, host: string, signal?: AbortSignal) =>
  client.call('http.fetch', { url: `http://${host}/`, policy }, { signal });
const pidOf = async (client: Client): Promise<unknown> => Reflect.get(await ask(client, 'pid'), 'pid');

describe('plugins of another process', () => {
  test('are started by the first call and stay', async () => {
    await withHost(SERVER, async ({ client, connection }) => {
      expect(connection()).toBe(null);
      const [one, other] = await Promise.all([pidOf(client), pidOf(client)]);
      expect(one).toBe(other);
      expect(await pidOf(client)).toBe(one);
      expect(connection()).toBeGreaterThan(0);
    });
  });

  test('pass on their own error messages', async () => {
    await withHost(SERVER, async ({ client }) => {
      await expect(ask(client, 'fail')).rejects.toMatchObject({
        ...{ kind: 'network', message: 'no such page', hint: 'look again', retryable: true },
      });
    });
  });

  test('are started again when their process dies; what ran there fails and may be asked again', async () => {
    await withHost(SERVER, async ({ client }) => {
      const before = await pidOf(client);
      const hanging = expect(ask(client, 'hang')).rejects.toMatchObject({ kind: 'unreachable', retryable: true });
      await expect(ask(client, 'die')).rejects.toThrow('ended before it answered http.fetch');
      await hanging;
      expect(await pidOf(client)).not.toBe(before);
    });
  });

  test('come back however often their process is killed while it serves', async () => {
    await withHost(SERVER, async ({ client }) => {
      for (let time = 0; time < 5; time++) {
        await expect(ask(client, 'die')).rejects.toThrow('ended before it answered');
        expect(await pidOf(client)).toEqual(expect.any(Number));
      }
    });
  });

  test('are given up, and their process ended, when it hangs before it serves', async () => {
    await withFolder(async (folder) => {
      const hanging = join(folder, 'hanging.mjs');
      writeFileSync(hanging, 'for (;;);');
      await withHost(
        hanging,
        async ({ client, lines }) => {
          await expect(ask(client, 'pid')).rejects.toMatchObject({ kind: 'unreachable', retryable: true });
          await expect.poll(() => lines.join('\n'), { timeout: 30_000 }).toContain('have ended (SIGKILL)');
        },
        50,
      );
    });
  });

  test('are notified when a call is cancelled', async () => {
    await withHost(SERVER, async ({ client }) => {
      await pidOf(client);
      const stop = new AbortController();
      const hanging = expect(ask(client, 'hang', stop.signal)).rejects.toMatchObject({ kind: 'cancelled' });
      stop.abort();
      await hanging;
      expect(await pidOf(client)).toEqual(expect.any(Number));
    });
  });

  test('pause for a caller that does not read, and continue when it does', async () => {
    await withHost(SERVER, async ({ client, connectAgain }) => {
      let read = 0;
      let held: (() => void) | undefined;
      const holds = new Promise<void>((resolve) => {
        held = resolve;
      });
      const flood = client.stream(
        'bash.follow',
        { id: '00000000-0000-4000-8000-000000000001' },
        {
          async onEvent() {
            read += 1;
            await holds;
          },
        },
      );
      // Another connection is served meanwhile: the flood waits for room, and holds up nobody else.
      const { bytes } = await ask(await connectAgain(), 'full').then((told) => ({ bytes: Reflect.get(told, 'bytes') }));
      expect(read).toBe(1);
      held?.();
      expect((await flood).total_bytes).toBe(bytes);
      expect(read * 100_000).toBe(bytes);
    });
  });

  test('let a client close that has not read all their events', async () => {
    await withHost(SERVER, async ({ connectAgain }) => {
      const client = await connectAgain();
      const id = '00000000-0000-4000-8000-000000000002';
      const never = new Promise<void>(() => undefined);
      const flood = client.stream('bash.follow', { id }, { onEvent: () => never });
      const ended = expect(flood).rejects.toMatchObject({ kind: 'cancelled' });
      await ask(await connectAgain(), 'full');
      await client.close();
      await ended;
    });
  });

  test('resolve handles through the hub, which reports an unknown source', async () => {
    await withHost(SERVER, async ({ hub }) => {
      const context = {
        ...{ signal: new AbortController().signal, caller: { kind: 'internal' } as const },
        ...{ emit: () => undefined, hasRoom: () => true, drained: () => Promise.resolve() },
      };
      const wanted = (source: string) => ({
        handle: { source, source_version: '1', identifier: 'x', metadata: {} },
        ...{ output: null, fresh: true, bytes_max: 100 },
      });
      expect(await hub.resolve(wanted('http'), context)).toEqual({ text: 'http' });
      expect(hub.resolve(wanted('fax'), context)).toBeNull();
    });
  });

  test('that cannot be started fail their calls with a message, but not for ever', async () => {
    await withHost(fileURLToPath(new URL('missing.mjs', import.meta.url)), async ({ client, lines }) => {
      for (const _ of ['once', 'again']) {
        await expect(ask(client, 'pid')).rejects.toMatchObject({
          ...{ kind: 'unreachable', message: 'the process of the tools does not start' },
        });
      }
      expect(lines.length).toBeLessThan(20);
    });
  });

  test('are started again when their log cannot be opened', async () => {
    await withHost(SERVER, async ({ client, home }) => {
      const pid = Number(await pidOf(client));
      rmSync(join(home, 'logs'), { recursive: true });
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => pidOf(client).catch(() => pid)).not.toBe(pid);
    });
  });

  test('can be served by no other process', async () => {
    await withHost(SERVER, async ({ client }) => {
      const plugins = [{ name: 'http', version: '1', methods: ['http.fetch'], resolves: false }];
      for (const secret of ['', 'x', 'x'.repeat(43)]) {
        const stolen = client.stream('plugins.serve', { secret, plugins }, { onEvent: () => undefined });
        await expect(stolen).rejects.toMatchObject({ kind: 'unauthorised' });
      }
      await pidOf(client);
      const outcome = { kind: 'result', result: {} } as const;
      await expect(client.call('plugins.answer', { id: 1, outcome })).rejects.toMatchObject({ kind: 'unauthorised' });
      await expect(client.call('plugins.emit', { id: 1, event: {} })).rejects.toMatchObject({ kind: 'unauthorised' });
    });
  });
});

describe('the tools of a real hub', () => {
  test('are no client: a hub ends by itself although they run, and they end with it', async () => {
    await withHome(async (home) => {
      mkdirSync(home, { mode: 0o700 });
      writeFileSync(homePaths(home).config, 'hub.idle_minutes = 0.002\n');
      const client = await connectTo(home);
      const { pid } = await client.call('tools.check', {});
      expect((await client.call('health.check', {})).connections).toBe(1);
      const ended = hubEnded(home);
      await client.close();
      await ended;
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    });
  });

  test('keep running when a call fits the frame of its caller, but not theirs', async () => {
    await withHub(async ({ client, home }) => {
      const file = { path: join(home, 'large'), policy };
      const around = JSON.stringify({ jsonrpc: '2.0', id: 10, method: 'file.write', params: { ...file, content: '' } });
      const content = 'x'.repeat(FRAME_BYTES_MAX - around.length - 60);
      await expect(client.call('file.write', { ...file, content })).rejects.toMatchObject({
        ...{ kind: 'limit', message: `the call is larger than the ${FRAME_BYTES_MAX} bytes of a frame` },
      });
    });
  });

  test('come back after being killed, and the hub has not noticed anything else', async () => {
    await withHub(async ({ client, pid }) => {
      const hub = await pid();
      const before = await client.call('tools.check', {});
      process.kill(before.pid, 'SIGKILL');
      // Until the hub has heard of it a call may still be answered by its failure.
      const again = () => client.call('tools.check', {});
      const after = await again().catch(again);
      expect(after.pid).not.toBe(before.pid);
      expect(await pid()).toBe(hub);
    });
  });
});
