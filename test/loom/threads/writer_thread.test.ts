import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Caller } from '../../../hub/base/plugin.js';
import { METHODS } from '../../../hub/protocol/methods/method_table.js';
import { startWriter } from '../../../loom/threads/writer_thread.js';
import { withFolder } from '../../support/hub.js';

const built = new URL('../../../dist/loom_writer.js', import.meta.url);
const client = (connection: number): { caller: Caller } => ({ caller: { kind: 'client', connection } });

test('one append of a caller waits for few of the thousands of another, and each keeps its order', () =>
  withFolder(async (folder) => {
    const at = (name: string): string => join(folder, name);
    const writer = await startWriter(
      {
        ...{ database: at('trees.db'), outputs: at('outputs'), logs: at('logs'), searchIndex: at('search.db') },
        ...{ atMs: 1, newEpoch: 'e' },
      },
      { entry: built, clock: () => 1, onFeed: () => undefined },
    );
    const tree = randomUUID();
    const call = (op: 'loom.tree_create' | 'loom.node_create_text', params: object, connection: number) =>
      writer.call(op, METHODS[op].params.parse(params), client(connection));
    await call('loom.tree_create', { id: tree }, 1);
    const append = (connection: number, text: string) => {
      const blocks = [{ type: 'text', text }];
      return call('loom.node_create_text', { id: randomUUID(), tree, parent: tree, role: 'user', blocks }, connection);
    };
    const order: number[] = [];
    const flood = Array.from({ length: 5_000 }, (_, number) => append(1, `${number}`).then(() => order.push(number)));
    await flood[0];
    const before = order.length;
    await append(2, 'mine');
    const between = order.length - before;
    await Promise.all(flood);
    expect(between).toBeLessThan(1_500);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    await writer.close();
  }));
