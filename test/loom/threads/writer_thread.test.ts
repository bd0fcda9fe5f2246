import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Caller, RawJson } from '../../../hub/base/plugin.js';
import { METHODS } from '../../../hub/protocol/methods/method_table.js';
import { startWriter } from '../../../loom/threads/writer_thread.js';
import { withFolder } from '../../support/hub.js';

const built = new URL('../../../dist/loom_writer.js', import.meta.url);
const client = (connection: number): { caller: Caller } => ({ caller: { kind: 'client', connection } });

interface Appends {
  tree: string;
  append(connection: number, text: string, place?: { id?: string; parent?: string }): Promise<unknown>;
}

/** A writing thread with a tree, closed afterwards. */
const withTree = (use: (appends: Appends) => Promise<void>): Promise<void> =>
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
    const append: Appends['append'] = (connection, text, { id = randomUUID(), parent = tree } = {}) => {
      const blocks = [{ type: 'text', text }];
      return call('loom.node_create_text', { id, tree, parent, role: 'user', blocks }, connection);
    };
    await use({ tree, append });
    await writer.close();
  });

test('one append of a caller waits for few of the thousands of another, and each keeps its order', () =>
  withTree(async ({ append }) => {
    const order: number[] = [];
    const flood = Array.from({ length: 5_000 }, (_, number) => append(1, `${number}`).then(() => order.push(number)));
    await flood[0];
    const before = order.length;
    await append(2, 'mine');
    const between = order.length - before;
    await Promise.all(flood);
    expect(between).toBeLessThan(1_500);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  }));

test('small appends wait for no large one that another caller sent before, and what its own caller sends stays behind it', () =>
  withTree(async ({ append }) => {
    const order: string[] = [];
    const tell = (what: string) => () => order.push(what);
    const large = 'x'.repeat(4 * 1024 * 1024);
    const parent = randomUUID();
    await Promise.all([
      append(1, large, { id: parent }).then(tell('large of one')),
      append(1, 'below it', { parent }).then(tell('below it')),
      append(2, large).then(tell('large of other')),
      append(3, 'small').then(tell('small')),
    ]);
    expect(order[0]).toBe('small');
    expect(order.indexOf('below it')).toBeGreaterThan(order.indexOf('large of one'));
    expect(order).toHaveLength(4);
  }));

test('texts of many sizes are stored as they were sent, and a large one that is sent again is one node', () =>
  withTree(async ({ append }) => {
    const texts = [10, 200_000, 300_000, 1_500_000].map((length) => 'ä\n'.repeat(length / 2));
    const sent = await Promise.all(texts.map((text, number) => append(number, text)));
    expect(sent.map((answer) => textOf(answer))).toEqual(texts);
    const [id, text] = [randomUUID(), 'y'.repeat(500_000)];
    const [once, again] = [await append(1, text, { id }), await append(2, text, { id })];
    expect(nodeOf(again)).toEqual(nodeOf(once));
    await expect(append(2, `${text} `, { id })).rejects.toMatchObject({ kind: 'conflict' });
  }));

const nodeOf = (answer: unknown) =>
  answer instanceof RawJson ? METHODS['loom.node_create_text'].result.parse(JSON.parse(answer.text)).node : null;
const textOf = (answer: unknown): string | null => {
  const [block] = nodeOf(answer)?.blocks ?? [];
  return block?.type === 'text' ? block.text : null;
};
