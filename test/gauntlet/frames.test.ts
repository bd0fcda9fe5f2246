import { readFileSync, watch } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Client } from '../../hub/client/client.js';
import { homePaths } from '../../hub/config/config.js';
import { knownSocket } from '../../hub/home/socket_path.js';
import { METHODS } from '../../hub/protocol/methods/method_table.js';
import { addChain, newTree } from '../bench/trees.js';
import { connectTo, withHome } from '../support/hub.js';
import { extent, randomFrom, timeFor } from './extent.js';
import { peakBytes } from './fairness/measure.js';
import { chanceFrom } from './frames/chance.js';
import { messageMaker, REACHING } from './frames/mutate.js';
import { describedMethods } from './frames/valid_params.js';
import { call, openRaw } from './raw_socket.mjs';

const WATCHED_HUB = fileURLToPath(new URL('frames/watched_hub.mjs', import.meta.url));
const CALLERS = 4;
/** How many frames go out before the caller waits for the answer of a whole call. */
const GROUP = 50;
const HUB_BYTES_MAX = 400e6;

/** A connection that is opened again whenever the hub, or the caller itself, has ended it. */
function caller(path: string) {
  let socket: Socket | null = null;
  let closed = Promise.resolve();
  const open = async (): Promise<Socket> => {
    const opened = await openRaw(path);
    socket = opened;
    closed = new Promise((resolve) => {
      opened.once('close', () => {
        socket = null;
        resolve();
      });
    });
    return opened;
  };
  return {
    async send(bytes: Buffer, ends: boolean): Promise<void> {
      const own = socket ?? (await open());
      own.write(bytes);
      if (ends) own.end();
    },
    /** Resolves when a whole call was answered, or when the connection was ended, as is right for wrong frames. */
    async settled(mark: string): Promise<void> {
      const own = socket ?? (await open());
      let tail = '';
      const answered = new Promise<void>((resolve) => {
        own.on('data', (bytes: Buffer) => {
          const text = tail + bytes.toString('latin1');
          if (text.includes(mark)) resolve();
          tail = text.slice(-mark.length);
        });
      });
      own.write(call('health.check', {}, mark));
      // A message that was left unfinished swallows the call: ending the connection ends it too.
      own.end();
      await Promise.race([answered, closed]);
      own.destroy();
      socket = null;
    },
    close: () => socket?.destroy(),
  };
}

async function attack(path: string, client: Client, { seed, count }: { seed: number; count: number }): Promise<number> {
  const chance = chanceFrom(randomFrom(seed));
  const tree = await newTree(client);
  const ids = [tree, await addChain(client, tree, 20), '00000000-0000-4000-8000-000000000000'];
  const methods = describedMethods(await client.call('rpc.discover', {}), { chance, ids });
  const nextMessage = messageMaker(chance, methods);
  let tried = 0;
  const run = async (name: string): Promise<void> => {
    const { send, settled, close } = caller(path);
    while (tried < count) {
      for (let inGroup = 0; inGroup < GROUP; inGroup += 1) {
        tried += 1;
        const { bytes, ends } = nextMessage(tried);
        await send(bytes, ends);
        if (ends) break;
      }
      await settled(`${name} ${tried}`);
    }
    close();
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, index) => run(`caller ${index}`)));
  return tried;
}

test('no call that could reach beyond the home is a valid one', () => {
  const reaching = Object.entries(METHODS).filter(([name]) => REACHING.test(name));
  expect(reaching.length).toBeGreaterThan(20);
  for (const [name, { params }] of reaching) {
    const codes = params.safeParse({ not: 1 }).error?.issues.map(({ code }) => code);
    expect(codes, name).toContain('unrecognized_keys');
  }
});

/** What the hub writes with the last thing that it does. */
function witnessOf(folder: string): Promise<unknown> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      try {
        resolve(JSON.parse(readFileSync(join(folder, 'witness.json'), 'utf8')));
        watcher.close();
      } catch {
        // It is not written yet, or not to its end.
      }
    });
  });
}

test(
  'no frame, however wrong, ends the hub, harms another caller or leaves anything behind',
  { timeout: timeFor(600_000) },
  () =>
    withHome(async (home) => {
      const { seed, count } = extent(2_000);
      const client = await connectTo(home, { hubEntry: WATCHED_HUB });
      const { pid } = await client.call('health.check', {});
      const tried = await attack(knownSocket(homePaths(home)) ?? '', client, { seed, count });
      const after = await client.call('health.check', {});
      expect(after.pid).toBe(pid);
      const peak = peakBytes(pid);
      expect(peak).toBeLessThan(HUB_BYTES_MAX);
      expect(await client.call('loom.fsck', {})).toMatchObject({ problems: [] });
      const fresh = await newTree(client);
      expect((await client.call('loom.tree_get', { tree: fresh })).node_count).toBe(1);
      const written = witnessOf(dirname(home));
      await client.call('health.stop', { if_idle: false });
      await client.close();
      const witness = await written;
      const own = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
      expect(witness).toEqual({ unhandled: [], prototypes: own.map((one) => Reflect.ownKeys(one).map(String)) });
      console.log(`frames of seed ${seed}: tried ${tried}, failed 0; the hub's peak ${Math.round(peak / 1e6)} MB`);
    }),
);
